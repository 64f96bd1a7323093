package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Runs the commands of the README and of the tutorials in a folder like the project's. Uses free ports,
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
        Files.writeString(folder.resolve("search.json"), SWEEP.code("json").getLast());
        String kafka = start("./trainyard broker --port 0").await("Kafka: ([^,]+),");
        start("./trainyard worker --device cpu --kafka " + kafka);
        for (String typed : SWEEP.shell()) {
            TrainyardProcess process = runOnFleet(typed, kafka);
            if (typed.contains("--watch")) {
                assertThat(process.output()).contains("FINISHED", "ACCURACY");
            }
        }
    }

    private TrainyardProcess runOnFleet(String typed, String kafka) {
        TrainyardProcess process =
                start("export TRAINYARD_KAFKA=%s\n%s".formatted(kafka, typed.replace("localhost:9092", kafka)));
        assertThat(process.exitStatus()).as("%s %s", process, running).isZero();
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
            ImageIO.write(photo, "png", photos.resolve(kind + i + ".png").toFile());
        }
    }
}
