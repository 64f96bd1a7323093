package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The parts of the metadata that are not read from the worker's classes.
final class NativeImageMetadataTest {
    private static final Pattern CALL = Pattern.compile("\\bFunctionDescriptor\\s*\\.of(Void)?\\(");

    /// A missing class that JCuda's native code looks up would kill the process.
    @Test
    void classesThatNativesLookUpExist() throws IOException {
        assertThat(NativeImageMetadata.namedByNatives())
                .contains("jcuda/NativePointerObject", "jcuda/driver/CUDA_MEMCPY2D", "java/nio/Buffer")
                .allSatisfy(name -> assertThat(Class.forName(
                                name.replace('/', '.'), false, getClass().getClassLoader()))
                        .isNotNull());
    }

    /// Function types are listed by hand, so a new call must be added to the list.
    @Test
    void functionsAreCalledWhereTheListKnowsIt() throws IOException {
        Map<String, Long> calls = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                long found = CALL.matcher(Files.readString(file)).results().count();
                if (found > 0) {
                    calls.put(file.getFileName().toString(), found);
                }
            }
        }
        assertThat(calls)
                .isEqualTo(Map.of(
                        "Readahead.java",
                        1L,
                        "OneDnnLibrary.java",
                        1L,
                        "NativeLibrary.java",
                        7L,
                        "NativeHeap.java",
                        1L));
    }
}
