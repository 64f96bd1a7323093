package io.trainyard.jobfile;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.Datasets;
import io.trainyard.data.PixelScale;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Printable;
import io.trainyard.sweep.Trials;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Job files: JSON or YAML, distinguished by the file extension or else by the first characters. A file has one
/// job, a list of jobs, or several documents of either. Jobs without an id receive one.
public final class JobFiles {
    public static final int MAX_FILE_BYTES = 10 << 20;

    /// The most jobs that are read at a time, from all files together.
    public static final int MAX_JOBS = 10_000;

    /// The maximum number of values of a YAML request body after expanding aliases; the server also serves
    /// others.
    private static final int MAX_TEXT_VALUES = 100_000;

    public static final String STANDARD_INPUT = "-";

    private static final int MAX_PROBLEMS = 50;
    private static final int ID_LETTERS = 6;
    private static final String ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"; // no l, o, 0, 1: they look alike

    /// Brackets, and then a quoted name; `{id: a}` is YAML.
    private static final Pattern JSON_START = Pattern.compile("\\s*[\\[{][\\[{\\s]*+\"");

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final SecureRandom RANDOM = new SecureRandom();

    private final InputStream standardInput;
    private final int maxValues;
    private final List<JobSpec> jobs = new ArrayList<>();
    private final Map<String, String> places = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    private JobFiles(InputStream standardInput, int maxValues) {
        this.maxValues = maxValues;
        this.standardInput = standardInput;
    }

    /// The jobs of all files, checked, in order; at least one.
    ///
    /// @param files paths, or [#STANDARD_INPUT]
    /// @throws InvalidJobException if one job or file is bad; its message has a line for each, which names the file
    ///     and the job in it
    public static List<JobSpec> read(List<String> files, InputStream standardInput) {
        JobFiles reading = new JobFiles(standardInput, YamlTrees.MAX_NODES);
        files.forEach(reading::addFile);
        return reading.checked(String.join(", ", files));
    }

    /// The jobs of a text, like [#read] for a file.
    ///
    /// @param label its name in messages
    /// @throws InvalidJobException if a job is invalid, or there is none
    public static List<JobSpec> read(String label, byte[] text) {
        JobFiles reading = new JobFiles(InputStream.nullInputStream(), MAX_TEXT_VALUES);
        reading.addText(label, label, text);
        return reading.checked(label);
    }

    private List<JobSpec> checked(String all) {
        if (problems.isEmpty() && jobs.isEmpty()) {
            problems.add("there is no job in " + all);
        }
        if (!problems.isEmpty()) {
            throw new InvalidJobException(problems());
        }
        return List.copyOf(jobs);
    }

    /// The only document of a file.
    ///
    /// @param file a path, or [#STANDARD_INPUT]
    /// @throws InvalidJobException if it cannot be read or has not exactly one document; names the file
    public static JsonNode tree(String file, InputStream standardInput) {
        String label = Printable.text(file, 200);
        try {
            List<JsonNode> trees =
                    jobNodes(file, new JobFiles(standardInput, YamlTrees.MAX_NODES).bytes(file), YamlTrees.MAX_NODES);
            if (trees.size() != 1) {
                throw new InvalidJobException("it holds %d documents; one is expected".formatted(trees.size()));
            }
            return trees.getFirst();
        } catch (NoSuchFileException e) {
            throw new InvalidJobException(label + ": there is no such file", e);
        } catch (IOException e) {
            throw new InvalidJobException("%s: it cannot be read: %s".formatted(label, e), e);
        } catch (InvalidJobException e) {
            throw new InvalidJobException("%s: %s".formatted(label, e.getMessage()), e);
        }
    }

    private String problems() {
        int more = problems.size() - MAX_PROBLEMS;
        return problems.stream().limit(MAX_PROBLEMS).collect(Collectors.joining("\n"))
                + (more > 0 ? "\nand %d more".formatted(more) : "");
    }

    private void addFile(String file) {
        String label = file.equals(STANDARD_INPUT) ? "standard input" : Printable.text(file, 200);
        try {
            addText(label, file, bytes(file));
        } catch (NoSuchFileException _) {
            problems.add(label + ": there is no such file");
        } catch (IOException e) {
            problems.add("%s: it cannot be read: %s".formatted(label, e));
        } catch (InvalidJobException e) {
            problems.add("%s: %s".formatted(label, e.getMessage()));
        }
    }

    /// @param name of its file; the extension selects the format
    private void addText(String label, String name, byte[] text) {
        try {
            List<JsonNode> nodes = jobNodes(name, text, maxValues);
            if (jobs.size() + nodes.size() > MAX_JOBS) { // before they are read: each bad one has a message
                throw new InvalidJobException(
                        "with it there are more than %d jobs, the most at a time; submit it by itself"
                                .formatted(MAX_JOBS));
            }
            for (int i = 0; i < nodes.size(); i++) {
                addJob(label, i, nodes.size(), nodes.get(i));
            }
        } catch (InvalidJobException e) {
            problems.add("%s: %s".formatted(label, e.getMessage()));
        }
    }

    private byte[] bytes(String file) throws IOException {
        if (!file.equals(STANDARD_INPUT) && Files.isDirectory(Path.of(file))) {
            throw new InvalidJobException("it is a folder; name the files in it");
        }
        try (InputStream in = file.equals(STANDARD_INPUT) ? standardInput : Files.newInputStream(Path.of(file))) {
            byte[] bytes = in.readNBytes(MAX_FILE_BYTES + 1);
            if (bytes.length > MAX_FILE_BYTES) {
                throw new InvalidJobException(
                        "it has more than %d bytes, the most that is read; split it".formatted(MAX_FILE_BYTES));
            }
            return bytes;
        }
    }

    private static List<JsonNode> jobNodes(String file, byte[] bytes, int maxValues) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        text = text.startsWith("\uFEFF") ? text.substring(1) : text;
        List<JsonNode> jobs = new ArrayList<>();
        for (JsonNode document : isJson(file, text) ? json(text) : YamlTrees.read(text, MAX_FILE_BYTES, maxValues)) {
            if (document.isArray()) {
                document.forEach(jobs::add);
            } else {
                jobs.add(document);
            }
        }
        return jobs;
    }

    private static boolean isJson(String file, String text) {
        String name = file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".json") || name.endsWith(".jsonl")) {
            return true;
        }
        return !name.endsWith(".yaml")
                && !name.endsWith(".yml")
                && JSON_START.matcher(text).lookingAt();
    }

    private static List<JsonNode> json(String text) {
        try (MappingIterator<JsonNode> documents =
                MAPPER.readerFor(JsonNode.class).readValues(text)) {
            return documents.readAll();
        } catch (JacksonException e) {
            throw new InvalidJobException(
                    "it is not JSON: %s (line %d, column %d)"
                            .formatted(
                                    e.getOriginalMessage().lines().findFirst().orElse(""),
                                    e.getLocation() == null
                                            ? 0
                                            : e.getLocation().getLineNr(),
                                    e.getLocation() == null
                                            ? 0
                                            : e.getLocation().getColumnNr()),
                    e);
        } catch (IOException e) {
            throw new IllegalStateException("reading from memory cannot fail", e);
        }
    }

    private void addJob(String file, int index, int count, JsonNode json) {
        String id = json.path("id").isTextual()
                ? " (\"%s\")".formatted(Printable.text(json.path("id").asText(), 80))
                : "";
        String place = count == 1 && id.isEmpty() ? file : "%s, job %d%s".formatted(file, index + 1, id);
        try {
            JobSpec job = JobJson.read(withId(json));
            String written = JobJson.write(job);
            int bytes = written.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > JobJson.MAX_BYTES) {
                throw new InvalidJobException(
                        "the job has %d bytes; allowed is up to %d".formatted(bytes, JobJson.MAX_BYTES));
            }
            Trials.forEach(job, (trial, _) -> requireFitting(trial));
            String earlier = places.putIfAbsent(job.id(), place);
            if (earlier != null) {
                throw new InvalidJobException(
                        "the id \"%s\" is already that of %s; ids must differ".formatted(job.id(), earlier));
            }
            jobs.add(job);
        } catch (InvalidJobException e) {
            problems.add("%s: %s".formatted(place, e.getMessage()));
        }
    }

    /// The checks that a worker makes before the first step. Only workers can check datasets that are not built in.
    private static void requireFitting(JobSpec job) {
        Datasets.find(job.dataset().name()).ifPresent(dataset -> {
            job.dataset().refuseFolderFields();
            var unusedNetwork = Network.of(job, dataset.shape(), dataset.outputs());
            dataset.requireFit(job.loss());
            var unusedScale = PixelScale.of(dataset.shape(), job.dataset().normalize());
        });
    }

    private static JsonNode withId(JsonNode json) {
        if (!(json instanceof ObjectNode object) || object.hasNonNull("id")) {
            return json;
        }
        JsonNode network = object.path("network");
        String name = network.isTextual() ? builtIn(network.asText()) : "custom";
        String letters = RANDOM.ints(ID_LETTERS, 0, ID_ALPHABET.length())
                .mapToObj(i -> ID_ALPHABET.substring(i, i + 1))
                .collect(Collectors.joining());
        return object.deepCopy().put("id", name + "-" + letters);
    }

    private static String builtIn(String network) {
        try {
            return Objects.requireNonNullElse(NetworkSpec.named(network).name(), "custom");
        } catch (InvalidJobException _) { // reported when the whole job is read
            return "custom";
        }
    }
}
