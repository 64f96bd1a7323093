package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// Programs of the machine that tests need.
public final class Programs {
    private Programs() {}

    /// Skips the test where the program is not here; where CI=true that is a failure.
    ///
    /// @param debian what Debian's package is called that brings it
    public static Path find(String name, String debian) {
        Optional<Path> found = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
        String missing = "%s is not here: install Debian's package %s".formatted(name, debian);
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found).as(missing).isPresent();
        }
        assumeTrue(found.isPresent(), missing);
        return found.orElseThrow();
    }
}
