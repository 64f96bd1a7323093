package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// One test execution selects these classes by name, the other excludes them by annotation. A class with only
/// one of the two would run in neither or in both.
final class OnFakeCudaRuleTest {
    @Test
    void onlyTestsNamedForTheFakeCudaLibrariesRunOnThem() throws IOException, URISyntaxException {
        Path root = Path.of(OnFakeCudaRuleTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(root)) {
            assertThat(files.map(file -> root.relativize(file).toString())
                            .filter(file -> file.endsWith("Test.class"))
                            .map(file -> file.replace(".class", "").replace('/', '.')))
                    .allSatisfy(
                            name -> assertThat(isOnFakeCuda(name)).as(name).isEqualTo(name.endsWith("FakeCudaTest")))
                    .anyMatch(name -> name.endsWith("FakeCudaTest"));
        }
    }

    private static boolean isOnFakeCuda(String name) throws ClassNotFoundException {
        return Class.forName(name, false, OnFakeCudaRuleTest.class.getClassLoader())
                .isAnnotationPresent(OnFakeCuda.class);
    }
}
