package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.device.onednn.OneDnnLibrary;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Runs in a separate JVM with the options of the product.
@Slow
class WarmUpTest {
    private static final String FLAGS = "@" + Path.of("src", "main", "jvm", "flags");

    /// A method compiled by C2, such as `1960 2506    b  4
    /// io.trainyard.device.vector.RowProduct::sixVectors (624 bytes)`.
    private static final Pattern COMPILED =
            Pattern.compile("(?m)^ *\\d+ +\\d+ +[ b]+ 4 +(io\\.trainyard\\.\\S+Vectors) \\(\\d+ bytes\\)$");

    static final class WarmingUp {
        private WarmingUp() {}

        public static void main(String[] arguments) {
            CpuBackend backend = new CpuBackend();
            for (int kind = 0; kind < WarmUp.KINDS; kind++) {
                backend.warmUp();
            }
            for (String name : List.of("lenet", "resnet18-cifar")) { // a narrow network and a wide one
                Network network = Network.fit(NetworkSpec.named(name), Shape.of(3, 32, 32), 10);
                for (Loop loop : Loop.values()) { // less common kernels are warmed by these
                    backend.warmUp(network, Precision.FP32, loop.example());
                }
                backend.warmUp(network, Precision.BF16, Loop.PLAIN.example()); // if available
            }
            System.out.println("warm");
        }
    }

    @Test
    void compilesEveryKernelNamedInTheFlags() throws IOException, InterruptedException {
        String output = ChildJvm.run(
                WarmingUp.class,
                System.getProperty("java.class.path"),
                FLAGS,
                "--add-modules",
                "jdk.incubator.vector",
                "-XX:+PrintCompilation");
        assertThat(output).contains("warm");
        Set<String> compiled = COMPILED.matcher(output)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toSet());
        assertThat(compiled).containsAll(kernels());
    }

    /// All methods with a kernel's name.
    private static List<String> kernels() {
        Set<Precision> precisions = OneDnnLibrary.loaded().precisions();
        List<String> kernels = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.trainyard.device").stream()
                        .flatMap(type -> type.getMethods().stream())
                        .filter(method -> method.getName().endsWith("Vectors"))
                        .map(WarmUpTest::name)
                        .distinct()
                        .filter(name -> !name.contains(".Bfloat16") || precisions.contains(Precision.BF16))
                        .toList();
        assertThat(kernels).hasSizeGreaterThan(15);
        return kernels;
    }

    private static String name(JavaMethod method) {
        return method.getOwner().getName() + "::" + method.getName();
    }
}
