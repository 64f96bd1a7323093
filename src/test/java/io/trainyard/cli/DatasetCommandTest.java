package io.trainyard.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.data.Npy;
import io.trainyard.data.StripedImages;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The output and files of `dataset`.
class DatasetCommandTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ByteArrayOutputStream remarks = new ByteArrayOutputStream();
    private final StringWriter errors = new StringWriter();

    @TempDir
    Path root;

    @Test
    void describesAFolderOfImages() throws IOException {
        Path photos = root.resolve("photos");
        StripedImages.write(photos, 0, 40);
        assertThat(run("inspect", photos.toString(), "--resize", "8x8", "--dry-run"))
                .isZero();
        assertThat(photos.resolve("dataset.json")).doesNotExist();
        assertThat(run("inspect", photos.toString(), "--resize", "8x8")).isZero();
        assertThat(written.toString(UTF_8).lines())
                .contains("%s: imageFolder, 32 samples to train on, 8 to test on, each uint8 of 3x8x8"
                        .formatted(photos.toRealPath()))
                .anyMatch(line -> line.matches("CLASS +TRAIN  TEST"))
                .anyMatch(line -> line.startsWith("red "));
        assertThat(remarks.toString(UTF_8))
                .contains("written: " + photos.toRealPath().resolve("dataset.json"));
        assertThat(Files.readString(photos.resolve("dataset.json")))
                .startsWith(
                        "{\n  \"kind\": \"imageFolder\",\n  \"split\": {\"test\":0.2,\"seed\":0},\n  \"normalize\": {");
        remarks.reset();
        assertThat(run("inspect", photos.toString(), "--resize", "8x8")).isZero();
        assertThat(remarks.toString(UTF_8)).isEmpty();
    }

    @Test
    void printsTheSameAsJson() throws IOException {
        Path rows = Files.createDirectory(root.resolve("rows"));
        Npy.write(rows, Npy.rows());
        assertThat(run("inspect", rows.toString(), "--json")).isZero();
        JsonNode published = new JsonMapper().readTree(written.toByteArray());
        assertThat(published.path("kind").asText()).isEqualTo("arrays");
        assertThat(published.path("train").asInt()).isEqualTo(3);
        assertThat(published.path("classes").path(2).path("train").asInt()).isEqualTo(1);
    }

    @Test
    void packsAFolder() throws IOException {
        Path rows = Files.createDirectory(root.resolve("rows"));
        Npy.write(rows, Npy.rows());
        String out = root.resolve("packed").toString();
        assertThat(run("convert", rows.toString(), out)).as(errors.toString()).isZero();
        assertThat(Path.of(out, "packed.safetensors")).exists();
        assertThat(run("convert", rows.toString(), out)).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("convert", rows.toString(), out, "--force")).isZero();
        assertThat(run("inspect", out)).isZero();
        assertThat(errors.toString()).contains("exists already; choose another folder, or add --force");
    }

    @Test
    void anUntrainableDatasetHasItsOwnExitStatus() throws IOException {
        Path rows = Files.createDirectory(root.resolve("rows"));
        Files.writeString(rows.resolve("dataset.json"), "{\"kind\": \"csv\", \"label\": \"y\", \"classes\": 2}");
        Files.writeString(rows.resolve("train.csv"), "a,y\n1,5\n");
        Files.writeString(rows.resolve("test.csv"), "a,y\n1,0\n");
        assertThat(run("inspect", rows.toString())).isEqualTo(ExitCodes.FAILED);
        assertThat(written.toString(UTF_8)).contains("cannot be trained on: ", "a label of 0 to 1");
    }

    @Test
    void impossibleRequestsAreBadInput() {
        assertThat(run("mix", "x")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("inspect", root.resolve("none").toString())).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("inspect", "a", "b")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("convert", root.toString())).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("inspect", root.toString(), "--resize", "8*8")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(run("inspect", root.toString(), "--colors", "blue")).isEqualTo(ExitCodes.BAD_INPUT);
        assertThat(errors.toString())
                .contains(
                        "allowed is inspect or convert",
                        "\"blue\" is not valid; allowed is rgb, grey",
                        "is not there; name the folder that the files are in",
                        "inspect takes one folder",
                        "convert takes two folders");
    }

    private int run(String... arguments) {
        Terminal terminal = new Terminal(
                new ByteArrayInputStream(new byte[0]),
                new PrintStream(written, true, UTF_8),
                new PrintStream(remarks, true, UTF_8),
                false);
        return TestCommands.commandLine(new DatasetCommand(), terminal)
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
    }
}
