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

    /// Commands that other tests run: `DemoIT` and `ReadmeIT`; `test` includes this one.
    private static final List<String> ELSEWHERE =
            List.of("./trainyard demo", "./trainyard test", "./trainyard train docs/examples/first.json");

    private static final String FLEET = "## A fleet in four terminals";
    private static final String OTHERS = "## From another language";

    /// Requires a container engine and a cluster; `ManifestsTest` renders the overlay.
    private static final String CLUSTER = "## Kubernetes";

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
            TrainyardProcess process =
                    start("export TRAINYARD_KAFKA=%s\n%s".formatted(kafka, typed.replace("localhost:9092", kafka)));
            assertThat(process.exitStatus()).as("%s %s", process, running).isZero();
        }
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
