package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceException;
import io.trainyard.spec.DeviceSpec;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.Test;

/// A process without the native jars of its platform on the class path.
@Slow
class MissingLibraryTest {
    /// The main class of that process.
    static final class Asking {
        private Asking() {}

        public static void main(String[] arguments) {
            DeviceBackend backend = new CpuBackend();
            System.out.println("why: " + backend.whyUnavailable().orElse("available"));
            System.out.println("devices: " + backend.devices());
            try {
                System.out.println("open: " + backend.open(new DeviceSpec("cpu")));
            } catch (DeviceException e) {
                System.out.println("open: " + e.getMessage());
            }
        }
    }

    @Test
    void isReportedWithItsSolution() throws IOException, InterruptedException {
        String platform = Loader.getPlatform();
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains(platform))
                .collect(Collectors.joining(File.pathSeparator));
        String output = ChildJvm.run(Asking.class, classPath, "--add-modules", "jdk.incubator.vector");
        assertThat(output)
                .contains("why: oneDNN's native library for " + platform + " cannot be loaded (")
                .contains("put the org.bytedeco dnnl, javacpp and opencl jars of this platform on the class path")
                .contains("devices: []")
                .contains("open: no device \"cpu\" here: oneDNN's native library");
    }

    @Test
    void reportsAMissingModuleWithItsSolution() throws IOException, InterruptedException {
        assertThat(ChildJvm.run(Asking.class, System.getProperty("java.class.path")))
                .contains("why: its kernels need Java's module jdk.incubator.vector, which cannot be loaded (")
                .contains("start Java with --add-modules jdk.incubator.vector")
                .contains("devices: []")
                .contains("open: no device \"cpu\" here: its kernels need");
    }

    /// The packaged application's manifest has the same export.
    @Test
    void theModuleIsLoadedWithoutJavasWarning() throws IOException, InterruptedException {
        String output = ChildJvm.run(
                Asking.class,
                System.getProperty("java.class.path"),
                "--add-exports=java.base/jdk.internal.module=ALL-UNNAMED");
        assertThat(output)
                .contains("why: available", "devices: [DeviceInfo[")
                .doesNotContain("WARNING: Using incubator modules");
    }
}
