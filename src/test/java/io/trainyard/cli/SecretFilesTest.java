package io.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Page;
import io.trainyard.cli.SecretFiles.SecretFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Secrets in files that environment variables point to.
class SecretFilesTest {
    private static final String FILE = "TRAINYARD_SIGN_IN_SECRET_FILE";

    @TempDir
    Path folder;

    private String file(String text) throws IOException {
        return Files.writeString(folder.resolve("secret"), text).toString();
    }

    @Test
    void aFilesOneLineIsTheSecret() throws IOException {
        assertThat(SecretFiles.read(Map.of(FILE, file("tr0ub4dor&3\n"))))
                .isEqualTo(Map.of("trainyard.sign-in.secret", "tr0ub4dor&3"));
        assertThat(SecretFiles.read(Map.of("TRAINYARD_SIGN_IN_SECRET", "in the environment")))
                .isEmpty();
    }

    @Test
    void reportsAnUnusableFileWithoutItsContent() throws IOException {
        String two = file("tr0ub4dor\ncorrecthorse");
        assertThatThrownBy(() -> SecretFiles.read(Map.of(FILE, two)))
                .isInstanceOf(SecretFileException.class)
                .hasMessageContainingAll(FILE, two, "2 lines")
                .hasMessageNotContainingAny("tr0ub4dor", "correcthorse");
        assertThatThrownBy(() -> SecretFiles.read(Map.of(FILE, file("\n")))).hasMessageContaining("0 lines");
        assertThatThrownBy(() -> SecretFiles.read(Map.of(FILE, folder.toString())))
                .hasMessageContainingAll(folder.toString(), "folder");
        assertThatThrownBy(() -> SecretFiles.read(Map.of(FILE, folder + "/none")))
                .hasMessageContaining("not there");
        assertThatThrownBy(() -> SecretFiles.read(Map.of(FILE, two, "TRAINYARD_SIGN_IN_SECRET", "tr0ub4dor")))
                .hasMessageContainingAll(FILE, "both set")
                .hasMessageNotContaining("tr0ub4dor");
    }

    @Test
    void thePageNamesEach() {
        assertThat(Page.read("docs/how-to/secure.md").section("## Secrets").table().stream()
                        .flatMap(row -> Page.code(row, 1).stream())
                        .filter(name -> name.startsWith("TRAINYARD_") && name.endsWith("_FILE")))
                .containsExactlyInAnyOrderElementsOf(SecretFiles.SECRETS.keySet().stream()
                        .map(name -> name + "_FILE")
                        .toList());
    }
}
