package io.trainyard.device.gang;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.Devices;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartLostException;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.onednn.OneDnnDeviceTest;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Shape;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Slow
class GangSessionTest {
    /// Batches of 7 over 3 parts: parts of different sizes, some empty in the last batch.
    static Workload normed() {
        List<LayerSpec> layers = List.of(
                Layers.conv(8, 3, 1, 1, false),
                Layers.norm(),
                Layers.relu(),
                Layers.residual(Layers.conv(8, 3, 1, 1, false), Layers.norm()),
                Layers.adaptive(1),
                Layers.flatten(),
                Layers.dropout(0.25),
                Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(3, 8, 8), 3, layers, CheckWorkload.MOMENTUM, 7, 23, 9);
    }

    static Workload narrow() {
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 3, 1, 1, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.dropout(0.25),
                Layers.flatten(),
                Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(2, 8, 7), 3, layers, CheckWorkload.MOMENTUM, 5, 23, 9);
    }

    static Stream<Workload> workloads() {
        LoopSpec all = new LoopSpec(false, 2, new ClipSpec(0.1, null), new EmaSpec(0.9));
        return Stream.of(narrow(), normed(), normed().withLoop(all), narrow().withLoop(all), OneDnnDeviceTest.wide());
    }

    /// What came of an epoch.
    record Result(int[] losses, Map<String, String> state, int[] predictions, Evaluation tested) {}

    static Device local(int count) {
        return ParallelDevice.open(Collections.nCopies(count, new DeviceSpec("cpu")));
    }

    static Result train(Device device, Workload workload) {
        try (LearningSession session = device.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            int[] losses = Bits.of(session.advance(workload.stepsPerEpoch()));
            return new Result(losses, Bits.of(session.save()), Bits.of(session.predict()), session.evaluate());
        }
    }

    static void requireSame(Result result, Result expected) {
        assertThat(result.losses()).isEqualTo(expected.losses());
        assertThat(result.state()).isEqualTo(expected.state());
        assertThat(result.predictions()).isEqualTo(expected.predictions());
        assertThat(result.tested()).usingRecursiveComparison().isEqualTo(expected.tested());
    }

    /// Whoever comes first.
    @ParameterizedTest
    @MethodSource("workloads")
    void hasTheBitsOfDevicesInOneProcess(Workload workload) {
        for (int count : new int[] {2, 3}) {
            Workload counted = workload.withThreads(count);
            Result expected = train(local(count), counted);
            for (long seed : new long[] {0, 1, 2}) {
                requireSame(train(new LocalGang(count, seed), counted), expected);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void hasThemWithSeveralThreadsEach(Workload workload) {
        Workload counted = workload.withThreads(4);
        requireSame(train(new LocalGang(2, 1), counted), train(local(2), counted));
    }

    /// In the middle of a step, after its batch norms.
    @ParameterizedTest
    @MethodSource("workloads")
    void whatIsWholeStaysWhenAMemberIsLost(Workload workload) {
        Workload counted = workload.withThreads(2);
        LocalGang gang = new LocalGang(2, 3);
        List<Float> losses = new ArrayList<>();
        SessionState saved;
        int steps = workload.stepsPerEpoch();
        try (LearningSession session = gang.open(counted)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            add(losses, session.advance(1));
            gang.members.getFirst().thread().interrupt();
            PartLostException lost =
                    catchThrowableOfType(PartLostException.class, () -> add(losses, session.advance(steps - 1)));
            assertThat(lost).hasMessageContaining("member-1");
            add(losses, lost.losses());
            saved = session.save();
        }
        int done = losses.size();
        try (LearningSession session = new LocalGang(2, 0).open(counted)) {
            session.load(saved);
            session.beginEpoch(CheckWorkload.plan(workload, 1), done);
            add(losses, session.advance(steps - done));
            Result whole = train(local(2), counted);
            assertThat(losses.stream().mapToInt(Float::floatToRawIntBits).toArray())
                    .isEqualTo(whole.losses());
            assertThat(Bits.of(session.save())).isEqualTo(whole.state());
        }
    }

    private static void add(List<Float> losses, float[] more) {
        for (float loss : more) {
            losses.add(loss);
        }
    }

    @Test
    void aMemberThatStopsIsLeftAtAStepBoundary() throws Exception {
        Workload workload = normed().withThreads(2);
        LocalGang gang = new LocalGang(2, 0);
        try (LearningSession session = gang.open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            var _ = session.advance(1);
            Patience.get(gang.members.getFirst().links()).leave();
            PartLostException lost = catchThrowableOfType(PartLostException.class, () -> session.advance(3));
            assertThat(lost).hasMessageContaining("member-1").hasMessageContaining("stops");
            assertThat(lost.losses()).hasSize(1);
        }
        assertThat(Patience.get(gang.members.getFirst().end())).contains("all gather anew");
    }

    @Test
    void aMemberThatCannotComputeItSaysWhy() throws Exception {
        Workload workload = narrow().withThreads(2);
        Workload other = normed().withThreads(2);
        LocalGang gang = new LocalGang(2, 0);
        Links links = gang.gather(other);
        assertThatThrownBy(() -> GangSession.open((PartDevice) Devices.open(new DeviceSpec("cpu")), workload, links))
                .isInstanceOfAny(DeviceException.class, PartLostException.class)
                .hasMessageContaining("do not compute the same");
    }

    /// Who is lost while nothing is said is seen by what is known of workers otherwise.
    @Test
    void aMemberThatIsNotHeardIsNotWaitedFor() throws Exception {
        Crew crew = LocalGang.crew(2);
        try (Gathering gathering = new Gathering(LocalGang.PORT, 1, crew)) {
            Thread member = Thread.ofVirtual().start(() -> {
                try {
                    new Joining(crew.secret(), LocalGang.PORT, "frozen")
                            .join(address(gathering), () -> false, LocalGang.HEARD, Patience.LIMIT);
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
            });
            awaitAll(gathering);
            Links links = gathering.begin(new byte[0], worker -> Optional.of(worker + " is not heard"), Patience.LIMIT);
            member.join();
            assertThatThrownBy(() -> links.hear(1, Kind.TESTED, 4))
                    .isInstanceOf(PartLostException.class)
                    .hasMessageContaining("frozen is not heard");
            links.close();
        }
    }

    private static InetSocketAddress address(Gathering gathering) {
        return new InetSocketAddress(LocalGang.PORT.host(), gathering.port());
    }

    private static void awaitAll(Gathering gathering) throws InterruptedException {
        while (gathering.missing() > 0) {
            gathering.look();
        }
    }

    /// Wrong secrets, other attempts, noise and silence keep nobody out and come to nothing.
    @ParameterizedTest
    @ValueSource(strings = {"secret", "noise", "silence", "gone"})
    void aStrangerIsNoPart(String kind) throws Exception {
        Crew crew = LocalGang.crew(2);
        try (Gathering gathering = new Gathering(LocalGang.PORT, 1, crew);
                Socket socket = new Socket()) {
            if (kind.equals("secret")) {
                assertThatThrownBy(() -> join(gathering, new byte[32], "stranger"))
                        .isInstanceOf(PartLostException.class);
            } else {
                stranger(kind, socket, gathering.port());
            }
            gathering.look();
            assertThat(gathering.missing()).isEqualTo(1);
            var friend = CompletableFuture.supplyAsync(() -> join(gathering, crew.secret(), "friend"));
            awaitAll(gathering);
            assertThat(gathering.workers()).containsExactly("friend");
            byte[] job = "a job".getBytes(StandardCharsets.UTF_8);
            Links links = gathering.begin(job, LocalGang.HEARD, Patience.LIMIT);
            Joining.Joined joined = Patience.get(friend);
            assertThat(joined.job()).isEqualTo(job);
            joined.links().close("enough");
            assertThatThrownBy(() -> links.hear(1, Kind.TESTED, 4)).hasMessageContaining("enough");
            links.close();
        }
    }

    private static Joining.Joined join(Gathering gathering, byte[] secret, String name) {
        try {
            return new Joining(secret, LocalGang.PORT, name)
                    .join(address(gathering), () -> false, LocalGang.HEARD, Patience.LIMIT);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void stranger(String kind, Socket socket, int port) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
        if (kind.equals("noise")) {
            byte[] noise = new byte[1 << 16];
            Arrays.fill(noise, (byte) 0x7f);
            new DataOutputStream(socket.getOutputStream()).write(noise);
        } else if (kind.equals("gone")) {
            socket.close();
        }
    }
}
