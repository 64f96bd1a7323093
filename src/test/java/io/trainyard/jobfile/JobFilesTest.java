package io.trainyard.jobfile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.OptimizerSpec.Sgd;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Slow
class JobFilesTest {
    private static final String ONE =
            "{\"id\": \"a\", \"network\": \"lenet\", \"dataset\": \"shapes32\", \"epochs\": 1}";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{id: %s, network: lenet, dataset: shapes32, epochs: 1}",
                "id: %s\nnetwork: lenet\ndataset: shapes32\nepochs: 1\n",
                "- id: %s\n  network: lenet\n  dataset: shapes32\n  epochs: 1\n",
                "---\nid: %s\nnetwork: lenet\ndataset: shapes32\nepochs: 1\n...\n---\n",
            })
    void readsYaml(String yaml) throws IOException {
        assertThat(read(file("jobs.yaml", yaml.formatted("a"))))
                .extracting(JobSpec::id)
                .containsExactly("a");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    jobs.json    | ONE           | a
                    jobs.json    | [ONE, TWO]    | a,b
                    jobs.jsonl   | ONE TWO       | a,b
                    jobs.yml     | [ONE, TWO]    | a,b
                    jobs         | [ONE, TWO]    | a,b
                    jobs         | - ONE         | a
                    jobs         | {id: a, network: lenet, dataset: shapes32, epochs: 1} | a
                    jobs.txt     | \uFEFFONE     | a
                    """)
    void distinguishesJsonFromYaml(String name, String content, String ids) throws IOException {
        String text = content.replace("ONE", ONE).replace("TWO", ONE.replace("\"a\"", "\"b\""));
        assertThat(read(file(name, text))).extracting(JobSpec::id).containsExactly(ids.split(","));
    }

    @Test
    void readsStandardInputAndSeveralFilesInOrder() throws IOException {
        InputStream in = new ByteArrayInputStream(ONE.getBytes(UTF_8));
        String second = file("b.json", ONE.replace("\"a\"", "\"b\""));
        assertThat(JobFiles.read(List.of(second, "-"), in))
                .extracting(JobSpec::id)
                .containsExactly("b", "a");
    }

    @Test
    void resolvesAnchorsAliasesAndMergeKeys() throws IOException {
        List<JobSpec> jobs = read(file("jobs.yaml", """
                - &base {id: a, network: lenet, dataset: shapes32, epochs: 3, optimizer: &sgd {type: sgd, learningRate: 1e-3}}
                - {<<: *base, id: b, epochs: 5}
                - {id: c, network: tudui, dataset: shapes32, epochs: 1, optimizer: *sgd}
                """));
        assertThat(jobs).extracting(JobSpec::epochs).containsExactly(3, 5, 1);
        assertThat(jobs).extracting(JobSpec::optimizer).containsOnly(new Sgd(0.001, 0, 0));
    }

    @Test
    void manyJobsMayShareOneBase() throws IOException {
        StringBuilder yaml = new StringBuilder("- &base {id: j0, network: lenet, dataset: shapes32, epochs: 3}\n");
        IntStream.range(1, 500)
                .forEach(i -> yaml.append("- {<<: *base, id: j").append(i).append("}\n"));
        assertThat(read(file("jobs.yaml", yaml.toString()))).hasSize(500);
    }

    @ParameterizedTest
    @CsvSource({"lenet,lenet", "sjnet,tudui"})
    void aJobWithoutAnIdGetsOne(String network, String name) throws IOException {
        String json = "[J, J]"
                .replace("J", "{\"network\": \"%s\", \"dataset\": \"shapes32\", \"epochs\": 1}".formatted(network));
        List<JobSpec> jobs = read(file("jobs.json", json));
        assertThat(jobs)
                .extracting(JobSpec::id)
                .allMatch(id -> id.matches(name + "-[a-z0-9]{6}"))
                .doesNotHaveDuplicates();
    }

    @Test
    void aNetworkOfLayersIsCalledCustom() throws IOException {
        String json = """
                {"network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]}, "dataset": "shapes28", "epochs": 1}""";
        assertThat(read(file("job.json", json)).getFirst().id()).matches("custom-[a-z0-9]{6}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {id: a, network: lenet, dataset: shapes32, epochs: 0}         | job 1 ("a"): epochs is 0; allowed is 1 to
                    {id: a, network: lenet, dataset: shapes32, epochs: x}         | job 1 ("a"): epochs is "x"
                    {id: a, network: lenet, dataset: shapes32, epochs: 1, foo: 1} | job 1 ("a"): the field "foo" is not known
                    {id: a, network: lenet, dataset: no/pe, epochs: 1}            | dataset is "no/pe"; allowed is a name
                    {id: a, network: {layers: [{type: linear, out: 10}]}, dataset: shapes28, epochs: 1} | layer "0" (number 0, Linear) is given 1x28x28
                    {network: {layers: [{type: conv2d, out: 1, kernel: 50}]}, dataset: shapes28, epochs: 1} | larger than the image
                    {id: a, network: signs, dataset: shapes32, epochs: 1}         | but the dataset has 10 classes
                    {id: ../a, network: lenet, dataset: shapes32, epochs: 1}      | job 1 ("../a"): id is "../a"
                    {id: a, network: lenet, dataset: {name: shapes32, normalize: {mean: [1], std: [1]}}, epochs: 1} | 1 means
                    just text                                                     | it must be a JSON object
                    {id: a, id: b}                                                | not YAML: found duplicate key id (line 1,
                    {id: [}                                                       | it is not YAML
                    !!java.io.File [x]                                            | it is not YAML
                    &a [*a]                                                       | a value contains itself by an alias
                    # nothing                                                     | there is no job in
                    """)
    void reportsErrorsWithTheirFile(String yaml, String sentence) throws IOException {
        String file = file("bad.yaml", yaml);
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(file)
                .hasMessageContaining(sentence);
    }

    @Test
    void reportsAllMistakesTogether() throws IOException {
        String bad = file("bad.json", "[%s, {\"id\": \"z\"}]".formatted(ONE.replace(": 1}", ": 0}")));
        String broken = file("broken.json", "{\"id\":");
        String missing = folder.resolve("missing.json").toString();
        assertThatThrownBy(() -> read(bad, broken, missing, folder.toString()))
                .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines())
                        .satisfiesExactly(
                                line -> assertThat(line).startsWith(bad + ", job 1 (\"a\"): epochs is 0"),
                                line -> assertThat(line).startsWith(bad + ", job 2 (\"z\"): network is missing"),
                                line -> assertThat(line).startsWith(broken + ": it is not JSON: "),
                                line -> assertThat(line).isEqualTo(missing + ": there is no such file"),
                                line -> assertThat(line).startsWith(folder + ": it is a folder")));
    }

    @Test
    void idsMustDifferAcrossFiles() throws IOException {
        String first = file("1.json", ONE);
        String second = file("2.json", ONE);
        assertThatThrownBy(() -> read(first, second))
                .hasMessage(
                        "%s, job 1 (\"a\"): the id \"a\" is already that of %s, job 1 (\"a\"); ids must differ",
                        second, first);
    }

    /// Hashing a key would expand all of its aliases.
    @Test
    void refusesListsAndMapsAsKeysBeforeTheyAreHashed() {
        StringBuilder yaml = new StringBuilder("- &a0 [x]\n");
        IntStream.rangeClosed(1, 30).forEach(i -> yaml.append("- &a%d [*a%d, *a%d]\n".formatted(i, i - 1, i - 1)));
        yaml.append("- ? *a30\n  : x\n");
        assertThat(yaml).hasSizeLessThan(700);
        byte[] body = yaml.toString().getBytes(UTF_8);
        assertThatThrownBy(() -> JobFiles.read("the body", "- a".getBytes(UTF_8)))
                .as("all classes are loaded")
                .isInstanceOf(InvalidJobException.class);
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long nanos = assertTimeoutPreemptively(Patience.LIMIT, () -> {
            long start = threads.getCurrentThreadCpuTime();
            assertThatThrownBy(() -> JobFiles.read("the body", body)).isInstanceOf(InvalidJobException.class);
            return threads.getCurrentThreadCpuTime() - start;
        });
        assertThat(Duration.ofNanos(nanos)).isLessThan(Duration.ofMillis(100));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{? [a] : 1} | a key is a list or a map (line 1, column 4); allowed are texts",
                "[{? {a: b} : 1}] | a key is a list or a map (line 1, column 5); allowed are texts",
                "'&a [*a]' | a value contains itself by an alias (line 1, column 1); write it out"
            })
    void reportsInvalidJobs(String yaml, String sentence) {
        assertThatThrownBy(() -> JobFiles.read("the body", yaml.getBytes(UTF_8)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void refusesAliasBombs() throws IOException {
        StringBuilder yaml = new StringBuilder("l0: &l0 [x, x, x, x, x, x, x, x, x]\n");
        IntStream.range(1, 12)
                .forEach(i -> yaml.append("l%d: &l%d [%s]\n"
                        .formatted(i, i, "*l%d, ".formatted(i - 1).repeat(9))));
        String file = file("bomb.yaml", yaml.toString());
        assertThatThrownBy(() -> read(file))
                .hasMessageContaining("with its aliases followed, it has more than 1000000 values");
    }

    @Test
    void refusesTooLargeAndTooDeepFiles() throws IOException {
        String large = file("large.json", " ".repeat(JobFiles.MAX_FILE_BYTES) + ONE);
        assertThatThrownBy(() -> read(large)).hasMessageContaining("more than 10485760 bytes");
        String many = file("many.json", "[" + "{},".repeat(3) + "{}]");
        assertThatThrownBy(() -> read(many)).hasMessageContaining("job 4: network is missing");
        String deep = file("deep.yaml", "[".repeat(1000));
        assertThatThrownBy(() -> read(deep)).hasMessageContaining("it is not YAML");
        String deepJson = file("deep.json", "[".repeat(100_000));
        assertThatThrownBy(() -> read(deepJson)).hasMessageContaining("it is not JSON");
    }

    @Test
    void acceptsAtMostTenThousandJobs() throws IOException {
        StringBuilder jobs = new StringBuilder();
        IntStream.rangeClosed(0, JobFiles.MAX_JOBS)
                .forEach(i -> jobs.append(
                        "{\"id\": \"j%d\", \"network\": \"signs\", \"dataset\": \"shapes64\", \"epochs\": 1}\n"
                                .formatted(i)));
        String file = file("jobs.jsonl", jobs.toString());
        assertThatThrownBy(() -> read(file)).hasMessageContaining("more than 10000 jobs");
        assertThat(read(file("fewer.jsonl", jobs.substring(jobs.indexOf("\n") + 1))))
                .hasSize(JobFiles.MAX_JOBS);
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private static List<JobSpec> read(String... files) {
        return JobFiles.read(List.of(files), InputStream.nullInputStream());
    }
}
