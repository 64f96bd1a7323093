package io.trainyard.device.onednn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.bytedeco.dnnl.global.dnnl.dnnl_pooling_forward_primitive_desc_create;

import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import io.trainyard.device.DeviceException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bytedeco.dnnl.global.dnnl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Sessions release their native memory.
@Slow
class NativeMemoryTest {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int ROUNDS = 5;
    private static final int SESSIONS = 100; // per round

    /// A process that opens and closes sessions, and prints its growth in KiB.
    static final class Sessions {
        private Sessions() {}

        public static void main(String[] arguments) throws IOException {
            Workload workload = OneDnnDeviceTest.wide();
            // The minimum, because code and oneDNN's primitive cache stop growing, but a leak does not.
            long least = Long.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                long before = anonymousKib();
                use(workload, SESSIONS);
                least = Math.min(least, anonymousKib() - before);
            }
            System.out.println("grown: " + least);
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "reads /proc/self/status")
    void residentMemoryStaysOverManySessions() throws IOException, InterruptedException {
        // The heap is resident from the beginning, so only native memory can grow.
        String output = ChildJvm.run(
                Sessions.class,
                System.getProperty("java.class.path"),
                "--add-modules",
                "jdk.incubator.vector",
                "-Xms256m",
                "-Xmx256m",
                "-XX:+AlwaysPreTouch");
        Matcher grown = Pattern.compile("grown: (-?[0-9]+)").matcher(output);
        assertThat(grown.find()).as(output).isTrue();
        long takenKib = SESSIONS * activationKib(OneDnnDeviceTest.wide());
        assertThat(Long.parseLong(grown.group(1)))
                .as("growth over %d sessions, which took %d KiB", SESSIONS, takenKib)
                .isLessThan(takenKib / 10);
    }

    private static void use(Workload workload, int sessions) {
        var device = new OneDnnDeviceTest().device();
        for (int i = 0; i < sessions; i++) {
            try (LearningSession session = device.open(workload.withThreads(1))) {
                session.load(CheckWorkload.state(workload));
                session.beginEpoch(CheckWorkload.plan(workload, i), 0);
                assertThat(session.advance(1)).hasSize(1);
                assertThat(session.save().model().tensors()).isNotEmpty();
            }
        }
    }

    /// The activations of one program; a session has more.
    private static long activationKib(Workload workload) {
        return 4L * workload.batchSize() * workload.network().activationElements() / 1024;
    }

    /// Memory that the process itself has allocated, without mapped files.
    private static long anonymousKib() throws IOException {
        try (var lines = Files.lines(STATUS)) {
            String line =
                    lines.filter(l -> l.startsWith("RssAnon:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
    }

    @Test
    void reportsOneDnnsErrorByNameAndFreesEverything() {
        try (Engine engine = new Engine()) {
            Layout image = engine.plain(1, 1, 4, 4);
            long[] two = {2, 2};
            long[] none = {0, 0};
            assertThatThrownBy(() -> engine.describe(
                            "run the pooling of layer \"wrong\"",
                            (handle, cpu) -> dnnl_pooling_forward_primitive_desc_create(
                                    handle,
                                    cpu,
                                    dnnl.dnnl_forward_inference,
                                    dnnl.dnnl_pooling_max,
                                    image.handle(),
                                    image.handle(),
                                    two,
                                    two,
                                    none,
                                    none,
                                    none,
                                    null)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining("oneDNN could not run the pooling of layer \"wrong\"")
                    .hasMessageContaining("it takes other shapes or layouts (status 2)");
        }
    }
}
