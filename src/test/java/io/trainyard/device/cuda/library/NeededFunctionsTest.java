package io.trainyard.device.cuda.library;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import io.trainyard.Slow;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jcuda.driver.JCudaDriver;
import jcuda.jcublas.JCublas2;
import jcuda.jcudnn.JCudnn;
import jcuda.nvrtc.JNvrtc;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Calling a missing library function kills the process. So every called function must be among those checked
/// at startup.
@Slow
class NeededFunctionsTest {
    private static final JavaClasses DEVICE = new ClassFileImporter()
            .withImportOption(new DoNotIncludeTests())
            .importPackages("io.trainyard.device.cuda");

    /// JCuda's classes as constants, which does not load their native code.
    static Stream<Arguments> libraries() {
        return Stream.of(
                Arguments.of(JCudaDriver.class, "libJCudaDriver-12.6.0-linux-x86_64.so", NeededFunctions.DRIVER),
                Arguments.of(JCudnn.class, "libJCudnn-11.7.0-linux-x86_64.so", NeededFunctions.DNN),
                Arguments.of(JCublas2.class, "libJCublas2-12.6.0-linux-x86_64.so", NeededFunctions.BLAS),
                Arguments.of(JNvrtc.class, "libJNvrtc-12.6.0-linux-x86_64.so", NeededFunctions.COMPILER));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void checksAllCalledFunctions(Class<?> jcuda, String library, List<String> needed) {
        Set<String> called = DEVICE.stream()
                .flatMap(type -> type.getAccessesFromSelf().stream())
                .map(JavaAccess::getTarget)
                .filter(target -> target.getOwner().isEquivalentTo(jcuda))
                .map(target -> target.getName().replaceFirst("_new$", "")) // JCuda's suffix
                .collect(Collectors.toSet());
        assertThat(called).as("calls of " + jcuda.getSimpleName()).isNotEmpty();
        assertThat(called)
                .allSatisfy(method -> assertThat(needed)
                        .as("NeededFunctions, for a call of %s.%s", jcuda.getSimpleName(), method)
                        .anyMatch(function -> function.equals(method)
                                || function.matches(method + "_v[0-9]+")
                                || function.equals(method + "WithFlags")));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void checksTheFunctionsThatJCudaCalls(Class<?> jcuda, String library, List<String> needed) {
        String names = new String(SharedObjectTest.jcuda(library), StandardCharsets.ISO_8859_1);
        assertThat(needed)
                .doesNotHaveDuplicates()
                .allSatisfy(function ->
                        assertThat(names).as("%s of %s", function, library).contains("\0" + function + "\0"));
    }
}
