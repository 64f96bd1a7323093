package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Runs the commands of the README and of the pages for users in a folder like the project's. Uses free ports,
/// because the default ones may be in use.
@DisabledOnOs(OS.WINDOWS)
final class ReadmeShellIT {
    private static final Page README = Page.read("README.md");
    private static final Page PHOTOS = Page.read("docs/tutorials/photos.md");
    private static final Page FLEET_TUTORIAL = Page.read("docs/tutorials/fleet.md");
    private static final Page FIRST_JOB = Page.read("docs/tutorials/first-job.md");
    private static final Page FROM_PYTORCH = Page.read("docs/tutorials/from-pytorch.md");
    private static final Page SWEEP = Page.read("docs/tutorials/sweep.md");

    /// Commands that other tests run: `DemoIT` and `ReadmeIT`; `test` includes this one.
    private static final List<String> ELSEWHERE =
            List.of("./trainyard demo", "./trainyard test", "./trainyard train docs/examples/first.json");

    private static final String FLEET = "## A fleet in four terminals";
    private static final String OTHERS = "## From another language";

    /// Requires a container engine and a cluster; `ManifestsTest` renders the overlay.
    private static final String CLUSTER = "## Kubernetes";

    /// The id of the first job in the tutorial.
    private static final String FIRST_ID = "fashion-kwq63x";

    /// Commands of the how-to, reference and concept pages that are not run here: the page, how the command begins,
    /// and the reason. `CommandsPageTest` checks their options, and `PagesTest` their paths.
    private static final List<List<String>> NOT_RUN =
            """
            any                         | export                              | settings of servers
            any                         | ./trainyard dashboard               | a server that this test starts
            any                         | ./trainyard worker                  | a server that this test starts
            how-to/check-a-node.md      | ./trainyard check-device cuda:0     | requires a GPU
            how-to/export.md            | TRAINYARD_DASHBOARD_TENSORBOARD=    | a server, as in DashboardIT
            how-to/kubernetes.md        | docker                              | requires a registry
            how-to/kubernetes.md        | kubectl                             | requires a cluster
            how-to/secure.md            | curl                                | requires an identity provider, as in KeycloakIT
            how-to/secure.md            | QUARKUS_HTTP_PROXY                  | requires an identity provider, as in KeycloakIT
            reference/checkpoints.md    | AWS_ENDPOINT_URL_S3=                | requires a bucket
            reference/checkpoints.md    | ./trainyard predict net.safetensors | requires a file from PyTorch, as in goesFromPyTorchAndBack
            reference/dashboard.md      | ./trainyard demo                    | a server, as in DemoIT
            reference/tracking-store.md | TRAINYARD_DASHBOARD_TRACKING_FILE=  | requires PostgreSQL
            reference/metrics.md        | docker                              | requires Docker
            reference/networks.md       | ./trainyard train docs/examples/m   | takes minutes
            reference/sweeps.md         | ./trainyard                         | takes minutes, as in FleetCommandsTest
            """.lines().map(row -> List.of(row.split("\\s+\\|\\s+"))).toList();

    private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)?");

    @TempDir
    private Path folder;

    private final List<TrainyardProcess> running = new ArrayList<>();

    @AfterEach
    void end() {
        running.reversed().forEach(TrainyardProcess::close);
    }

    @Test
    void allCommandsAreRun() {
        assertThat(README.shell())
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(ELSEWHERE.stream(), README.section(FLEET).shell().stream())
                                .toList());
        assertThat(FLEET_TUTORIAL.shell())
                .containsExactlyElementsOf(Stream.of(OTHERS, CLUSTER)
                        .flatMap(section -> FLEET_TUTORIAL.section(section).shell().stream())
                        .toList());
        assertThat(FIRST_JOB.section("## On a worker, with the dashboard").shell())
                .isEqualTo(README.section(FLEET).shell());
    }

    @Test
    void theFirstJobPrintsTheLinesOfTheTutorial() throws Exception {
        makeProject();
        List<String> commands = Stream.of("## Train", "## Use the model")
                .flatMap(section -> FIRST_JOB.section(section).shell().stream())
                .toList();
        TrainyardProcess train = start(commands.getFirst());
        assertThat(train.exitStatus()).as(train.toString()).isZero();
        String id = train.await("job (\\S+) finished");
        assertThat(train.lines().stream().map(line -> shape(line, id)))
                .containsAll(FIRST_JOB.section("## Train").code("text").stream()
                        .flatMap(String::lines)
                        .map(line -> shape(line, FIRST_ID))
                        .toList());
        for (String typed : commands.subList(1, commands.size())) {
            TrainyardProcess process = start(typed.replace(FIRST_ID, id));
            assertThat(process.exitStatus()).as(process.toString()).isZero();
        }
    }

    /// A line of output without values that differ between runs.
    private static String shape(String line, String id) {
        String known = line.replace(id, "ID").replaceFirst("file:.*/checkpoints/ID/", "FOLDER/");
        return NUMBER.matcher(known).replaceAll("N");
    }

    @Test
    void goesFromPyTorchAndBack() throws Exception {
        makeProject();
        String python = Programs.python("torch", "python3-torch");
        List<String> scripts = FROM_PYTORCH.code("python");
        Files.writeString(folder.resolve("net.py"), scripts.getFirst());
        Files.writeString(folder.resolve("back.py"), scripts.getLast());
        for (String typed : FROM_PYTORCH.shell()) {
            TrainyardProcess process = start(typed.replaceFirst("^python3", python));
            assertThat(process.exitStatus()).as("%s %s", typed, process).isZero();
        }
        assertThat(folder.resolve("net.pt")).isNotEmptyFile();
        assertThat(folder.resolve("again.pt")).isNotEmptyFile();
    }

    @Test
    void classifiesPhotosOfTwoKinds() throws Exception {
        makeProject();
        photos("cats", Color.ORANGE);
        photos("dogs", Color.GRAY);
        for (String typed : PHOTOS.shell()) {
            TrainyardProcess process = start(typed);
            assertThat(process.exitStatus()).as(process.toString()).isZero();
            if (typed.contains("train ")) {
                assertThat(process.output()).contains("best accuracy 1.0");
            }
        }
    }

    @Test
    void aFleetRunsTheFirstJobAndThatOfAnotherLanguage() throws Exception {
        makeProject();
        String kafka = "";
        for (String typed : README.section(FLEET).shell()) {
            boolean listens = typed.endsWith(" broker") || typed.endsWith(" dashboard");
            String more = listens ? " --port 0" : typed.endsWith(" worker") ? " --device cpu" : "";
            TrainyardProcess process = start(
                    kafka.isEmpty() ? typed + more : "TRAINYARD_KAFKA=%s exec %s%s".formatted(kafka, typed, more));
            if (typed.endsWith(" broker")) {
                kafka = process.await("Kafka: ([^,]+),");
            } else if (typed.contains(" submit ")) {
                assertThat(process.exitStatus()).as("%s %s", process, running).isZero();
                assertThat(process.output()).contains("finished");
            }
        }
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/kcat")),
                "there is no /usr/bin/kcat: install Debian's package kcat");
        for (String typed : FLEET_TUTORIAL.section(OTHERS).shell()) {
            runOnFleet(typed, kafka);
        }
    }

    @Test
    void aFleetRunsTheSweepsOfTheTutorial() throws Exception {
        makeProject();
        Files.writeString(
                folder.resolve("search.json"), small(SWEEP.code("json").getLast()));
        Files.writeString(folder.resolve("sweep.json"), small(Files.readString(Path.of("docs/examples/sweep.json"))));
        String kafka = start("./trainyard broker --port 0").await("Kafka: ([^,]+),");
        start("./trainyard worker --device cpu --kafka " + kafka);
        for (String typed : SWEEP.shell()) {
            boolean lists = typed.contains("--dry-run"); // trains nothing
            TrainyardProcess process = runOnFleet(lists ? typed : typed.replace("docs/examples/", ""), kafka);
            if (typed.contains("--watch")) {
                assertThat(process.output()).contains("FINISHED", "ACCURACY");
            }
        }
    }

    @Test
    void commandsOfTheOtherPagesRun() throws Exception {
        makeProject();
        writeInputs();
        String kafka = start("./trainyard broker --port 0").await("Kafka: ([^,]+),");
        start("./trainyard worker --device cpu --kafka " + kafka);
        String dashboard =
                start("./trainyard dashboard --port 0 --kafka " + kafka).await("Dashboard: http://([^/]+)/");
        runOnFleet("./trainyard submit fashion-1.json --watch", kafka);
        runOnFleet(
                "until curl -s %s/api/v1/jobs/fashion-1 | grep -q finished; do sleep 0.2; done".formatted(dashboard),
                kafka);
        Set<List<String>> unused = new HashSet<>(NOT_RUN);
        for (String page : otherPages()) {
            for (String typed : Page.read("docs/" + page).shell()) {
                List<List<String>> reasons = NOT_RUN.stream()
                        .filter(row -> List.of("any", page).contains(row.getFirst()) && typed.startsWith(row.get(1)))
                        .toList();
                unused.removeAll(reasons);
                if (reasons.isEmpty()) {
                    runOnFleet(
                            typed.replace("localhost:8080", dashboard)
                                    .replace("curl -s ", "curl -sf ")
                                    .replace("/shared/checkpoints", "checkpoints")
                                    .replace("tudui-1 tudui-2", "fashion-1")
                                    .replace("optimizer.type=adam", "optimizer.type=sgd"),
                            kafka);
                }
            }
        }
        assertThat(unused).isEmpty();
    }

    /// The same sweep of a small network: training takes no minute.
    private static String small(String sweep) {
        assertThat(sweep).contains("\"fashion\"");
        return sweep.replace(
                "\"fashion\"", "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 10}]}");
    }

    private static List<String> otherPages() throws IOException {
        List<String> pages = new ArrayList<>();
        for (String kind : List.of("concepts", "how-to", "reference")) {
            try (Stream<Path> files = Files.list(Path.of("docs", kind))) {
                files.map(file -> kind + "/" + file.getFileName()).sorted().forEach(pages::add);
            }
        }
        return pages;
    }

    /// The files that commands of the pages read.
    private void writeInputs() throws IOException {
        Files.writeString(folder.resolve("fashion-1.json"), example("reference/jobs.md", "json"));
        Files.writeString(folder.resolve("projects.yaml"), example("how-to/projects.md", "yaml"));
        photos("data/photos/cat", Color.ORANGE);
        photos("data/photos/dog", Color.GRAY);
        StringBuilder leaves = new StringBuilder("length,width,lobes,teeth,species\n");
        for (int i = 0; i < 120; i++) {
            leaves.append("%d,%d,%d,%d,%s%n"
                    .formatted(
                            i % 3,
                            i % 5,
                            i % 7,
                            i % 2,
                            List.of("ash", "beech", "oak").get(i % 3)));
        }
        Files.writeString(folder.resolve("train.csv"), leaves);
        Files.writeString(folder.resolve("test.csv"), leaves);
    }

    /// The first example of a page.
    private static String example(String page, String language) {
        return Page.read("docs/" + page).code(language).getFirst();
    }

    private TrainyardProcess runOnFleet(String typed, String kafka) {
        TrainyardProcess process =
                start("export TRAINYARD_KAFKA=%s\n%s".formatted(kafka, typed.replace("localhost:9092", kafka)));
        assertThat(process.exitStatus(Patience.LONG))
                .as("%s %s", process, running)
                .isZero();
        return process;
    }

    /// The folder looks like a clone.
    private void makeProject() throws IOException {
        Files.createSymbolicLink(folder.resolve("trainyard"), TrainyardProcess.LAUNCHER);
        Files.createSymbolicLink(folder.resolve("docs"), Path.of("docs").toAbsolutePath());
    }

    /// The typed words are repeated as unused arguments of the shell. [TrainyardProcess] recognises compute
    /// commands by them, which need the optimizing compiler.
    private TrainyardProcess start(String typed) {
        List<String> command = new ArrayList<>(List.of("bash", "-euo", "pipefail", "-c", typed));
        command.addAll(List.of(typed.split("\\s+")));
        TrainyardProcess process = TrainyardProcess.start(folder, command);
        running.add(process);
        return process;
    }

    /// About fifty images of one colour: a batch of 64 needs that many for training.
    private void photos(String kind, Color colour) throws IOException {
        Path photos = Files.createDirectories(folder.resolve(kind));
        Random chance = new Random(kind.hashCode());
        for (int i = 0; i < 50; i++) {
            BufferedImage photo = new BufferedImage(48, 40, BufferedImage.TYPE_INT_RGB);
            for (int y = 0; y < photo.getHeight(); y++) {
                for (int x = 0; x < photo.getWidth(); x++) {
                    photo.setRGB(x, y, colour.getRGB() ^ chance.nextInt(32));
                }
            }
            ImageIO.write(photo, "png", photos.resolve(i + ".png").toFile());
        }
    }
}
