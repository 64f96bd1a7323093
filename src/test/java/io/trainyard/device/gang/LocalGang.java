package io.trainyard.device.gang;

import io.trainyard.Patience;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.device.EvenPart;
import io.trainyard.device.LearningSession;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Precision;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// A job's leader and its members on threads of this process, over sockets as between machines. Who comes first is
/// drawn from a seed.
final class LocalGang implements Device {
    static final Port PORT = new Port("127.0.0.1", 0);
    static final Links.Watch HEARD = _ -> Optional.empty();

    private final PartDevice cpu = (PartDevice) Devices.open(new DeviceSpec("cpu"));
    private final int count;
    private final long seed;
    final List<Member> members = new CopyOnWriteArrayList<>(); // all that there were

    /// A member on its thread.
    ///
    /// @param links once it has come
    /// @param end why it ended
    record Member(Thread thread, CompletableFuture<Links> links, CompletableFuture<String> end) {}

    /// @param seed of the delays; 0: none
    LocalGang(int count, long seed) {
        this.count = count;
        this.seed = seed;
    }

    static Crew crew(int count) {
        byte[] secret = new byte[32];
        new Random(count).nextBytes(secret);
        return new Crew("together", 1, count, "leader", secret);
    }

    @Override
    public DeviceInfo info() {
        return cpu.info();
    }

    @Override
    public Set<Precision> precisions() {
        return cpu.precisions();
    }

    @Override
    public LearningSession open(Workload workload) {
        return GangSession.open(device(0), workload, gather(workload));
    }

    /// The leader's links; the members serve from now on.
    Links gather(Workload workload) {
        Crew crew = crew(count);
        try (Gathering gathering = new Gathering(PORT, 1, crew)) {
            for (int i = 1; i < count; i++) {
                start(i, gathering.port(), workload);
            }
            while (gathering.missing() > 0) {
                gathering.look();
            }
            return gathering.begin("{}".getBytes(StandardCharsets.UTF_8), HEARD, Patience.LIMIT);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void start(int number, int port, Workload workload) {
        CompletableFuture<Links> links = new CompletableFuture<>();
        CompletableFuture<String> end = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().unstarted(() -> {
            try {
                Joining joining = new Joining(crew(count).secret(), PORT, "member-" + number);
                Links own = joining.join(new InetSocketAddress("127.0.0.1", port), () -> false, HEARD, Patience.LIMIT)
                        .links();
                links.complete(own);
                end.complete(GangMember.serve(device(number), workload, own));
            } catch (Throwable e) {
                links.completeExceptionally(e);
                end.completeExceptionally(e);
            }
        });
        members.add(new Member(thread, links, end));
        thread.start();
    }

    private PartDevice device(int number) {
        return seed == 0 ? cpu : new Late(cpu, new Random(seed + number));
    }

    /// Computes each step a little later.
    private record Late(PartDevice real, Random random) implements PartDevice {
        @Override
        public DeviceInfo info() {
            return real.info();
        }

        @Override
        public LearningSession open(Workload workload) {
            throw new IllegalStateException("it is to be opened as a part");
        }

        @Override
        public PartSession openPart(Workload workload, EvenPart part, @Nullable PartSession first) {
            throw new IllegalStateException("it is to be opened apart");
        }

        @Override
        public PartSession openApart(Workload workload, EvenPart part) {
            PartSession session = real.openApart(workload, part);
            return (PartSession) Proxy.newProxyInstance(
                    LocalGang.class.getClassLoader(), new Class<?>[] {PartSession.class}, (_, method, arguments) -> {
                        if (method.getName().equals("computeGradients")) {
                            Thread.sleep(random.nextInt(4));
                        }
                        try {
                            return method.invoke(session, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
