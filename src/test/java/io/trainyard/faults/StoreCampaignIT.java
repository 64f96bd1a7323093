package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Patience;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.s3.S3FaultProxy;
import io.trainyard.s3.S3FaultProxy.Fate;
import io.trainyard.s3.S3FaultProxy.Request;
import io.trainyard.s3.S3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What happens to a store under a real worker: what is damaged is passed over, what cannot be written leaves the
/// checkpoint before, and the worker says why.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class StoreCampaignIT {
    private static final int DAMAGES = Integer.getInteger("faults.damages", 3);
    private static final int LOSSY_JOBS = Integer.getInteger("faults.lossy-jobs", 6);
    private static final long SEED = Long.getLong("faults.seed", 1);

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set by each test
    private FaultFleet fleet;

    private boolean mounted;

    /// What becomes of a file.
    enum Damage {
        TRUNCATED {
            @Override
            byte[] of(byte[] file) {
                return java.util.Arrays.copyOf(file, file.length / 2);
            }
        },
        BIT_FLIPPED {
            @Override
            byte[] of(byte[] file) {
                file[file.length / 2] ^= 4;
                return file;
            }
        };

        abstract byte[] of(byte[] file);
    }

    static Stream<Arguments> damages() {
        return Stream.of(FaultStore.Kind.values())
                .flatMap(kind -> Stream.of(Damage.values()).map(damage -> Arguments.of(kind, damage)));
    }

    /// Its worker is killed after the third checkpoint's manifest; before a keeper finds out, a file of that
    /// checkpoint is damaged.
    @ParameterizedTest
    @MethodSource("damages")
    void aDamagedCheckpointIsPassedOver(FaultStore.Kind kind, Damage damage) {
        fleet = FaultFleet.start(folder, kind.open(folder), setup(2));
        CheckpointStore store = fleet.store().store();
        for (int i = 0; i < DAMAGES; i++) {
            String ending =
                    List.of(".safetensors", ".training.safetensors", ".json").get(i % 3);
            Victim victim = fleet.startVictim("manifest-written#3");
            List<String> jobs = fleet.strike(List.of(victim), 0);
            String job = jobs.getFirst();
            List<String> manifests = store.list(job + "/checkpoints").stream()
                    .filter(key -> key.endsWith(".json"))
                    .toList();
            String file = manifests.getLast().replaceAll("\\.json$", ending);
            byte[] damaged = damage.of(store.read(file).orElseThrow());
            CheckpointRef _ = store.write(file, out -> out.write(damaged));
            String worker = fleet.startWorker();
            fleet.awaitFinished(jobs);
            Started second = fleet.news().of(job, Started.class).getLast();
            assertThat(second.firstStep()).isEqualTo(step(manifests.get(manifests.size() - 2)) + 1);
            assertThat(fleet.fleet().worker(worker).errors()
                            + fleet.fleet().worker(worker).output())
                    .contains("is passed over");
            fleet.fleet().worker(worker).kill();
        }
        fleet.check();
        FaultTable.add(
                "a file of the newest checkpoint %s (%s)".formatted(name(damage), name(kind)),
                DAMAGES,
                List.of(),
                "passed over, from the one before; the log says it; the checker finds nothing; the same SHA-256");
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static FaultFleet.Setup setup(int epochs) {
        return new FaultFleet.Setup(
                List.of("TRAINYARD_S3_TIMEOUT=6s"),
                "cpu",
                FaultFleet.job(epochs).replace("\"epochs\"", "\"keepLast\": 2, \"epochs\""));
    }

    private static long step(String manifest) {
        return Long.parseLong(manifest.replaceAll(".*/step-0*([0-9]+)-.*", "$1"));
    }

    /// What a bucket's server, or the network before it, does to its clients.
    enum Trouble {
        READ_ONLY("403") {
            @Override
            Fate of(Request request) {
                return request.writes() ? new Fate.Refused(403, "AccessDenied") : Fate.ARRIVES;
            }
        },
        FULL("507") {
            @Override
            Fate of(Request request) {
                return request.is("PUT", "") ? new Fate.Refused(507, "InsufficientStorage") : Fate.ARRIVES;
            }
        },
        BUSY("503") {
            @Override
            Fate of(Request request) {
                return new Fate.Refused(503, "SlowDown");
            }
        },
        AWAY("cannot be reached") {
            @Override
            Fate of(Request request) {
                return new Fate.AnswerLost();
            }
        },
        HANGING("did not answer in time") {
            @Override
            Fate of(Request request) {
                return Fate.HANGS;
            }
        };

        private final String told;

        Trouble(String told) {
            this.told = told;
        }

        abstract Fate of(Request request);
    }

    static Stream<Arguments> troubles() {
        return Stream.of(S3Server.values())
                .flatMap(server -> Stream.of(Trouble.values()).map(trouble -> Arguments.of(server, trouble)));
    }

    @ParameterizedTest
    @MethodSource("troubles")
    void aBucketInTroubleGivesTheJobBack(S3Server server, Trouble trouble) throws Exception {
        try (S3FaultProxy proxy = new S3FaultProxy(server)) {
            giveBack(
                    FaultStore.behind(proxy, server),
                    new Mishap(
                            "%s (%s)".formatted(name(trouble), name(server)),
                            trouble.told,
                            () -> proxy.rule(trouble::of),
                            () -> proxy.rule(_ -> Fate.ARRIVES)));
        }
    }

    /// One answer in five, of everything that workers ask of it.
    @ParameterizedTest
    @EnumSource
    void answersOfABucketThatAreLostCostTime(S3Server server) {
        try (S3FaultProxy proxy = new S3FaultProxy(server)) {
            Random random = new Random(SEED);
            fleet = FaultFleet.start(folder, FaultStore.behind(proxy, server), setup(2));
            proxy.rule(_ -> random.nextInt(5) == 0 ? new Fate.AnswerLost() : Fate.ARRIVES);
            fleet.startWorker();
            fleet.startWorker();
            fleet.fleet().awaitMembers();
            List<String> jobs = fleet.submit(LOSSY_JOBS);
            fleet.awaitFinished(jobs);
            proxy.rule(_ -> Fate.ARRIVES);
            fleet.check();
            FaultTable.add(
                    "one answer in five of the store lost (%s)".formatted(name(server)),
                    LOSSY_JOBS,
                    List.of(),
                    "%d requests; the checker finds nothing; the same SHA-256"
                            .formatted(proxy.seen().size()));
        }
    }

    @Test
    void aStoreThatIsReadOnlyGivesTheJobBack() throws Exception {
        storeOf("64m");
        giveBack(
                FaultStore.Kind.DIRECTORY.open(folder),
                new Mishap(
                        "read-only (directory)",
                        "Read-only",
                        () -> mount("-o", "remount,ro"),
                        () -> mount("-o", "remount,rw")));
    }

    @Test
    void aStoreThatIsFullGivesTheJobBack() throws Exception {
        storeOf("8m");
        Path filler = folder.resolve("checkpoints/filler");
        giveBack(
                FaultStore.Kind.DIRECTORY.open(folder),
                new Mishap("full (directory)", "No space left", () -> fill(filler), () -> Files.delete(filler)));
    }

    /// Something that is done to the store.
    @FunctionalInterface
    private interface Fault {
        void happen() throws Exception;
    }

    /// @param told what the worker says of it
    private record Mishap(String name, String told, Fault fault, Fault mend) {}

    /// The store fails after the first checkpoints, and is whole again once the worker has given the job back.
    private void giveBack(FaultStore store, Mishap mishap) throws Exception {
        fleet = FaultFleet.start(folder, store, setup(12));
        fleet.startWorker();
        fleet.startWorker();
        fleet.fleet().awaitMembers();
        String job = fleet.submit(1).getFirst();
        var _ = fleet.news().await(job, CheckpointSaved.class);
        mishap.fault().happen();
        Released released = fleet.news().await(job, Released.class);
        String worker = fleet.news().of(job, Claimed.class).getFirst().worker();
        assertThat(released.reason()).as(fleet.fleet().toString()).contains(mishap.told());
        assertThat(released.step()).isPositive();
        Patience.await("the worker to say that it takes no job")
                .untilAsserted(() -> assertThat(fleet.fleet().worker(worker).errors()
                                + fleet.fleet().worker(worker).output())
                        .contains("takes no job for"));
        mishap.mend().happen();
        fleet.awaitFinished(List.of(job));
        List<Started> starts = fleet.news().of(job, Started.class);
        assertThat(starts.getLast().firstStep()).isGreaterThan(1);
        fleet.check();
        FaultTable.add(
                "the store %s".formatted(mishap.name()),
                1,
                List.of(),
                "given back; `released` says \"%s\"; on from step %d; the checker finds nothing; the same SHA-256"
                        .formatted(released.reason(), starts.getLast().firstStep()));
    }

    private static void fill(Path filler) throws IOException {
        try (var out = Files.newOutputStream(filler)) {
            byte[] block = new byte[4096];
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    /// A file system of its own under the store, where this process may mount one.
    private void storeOf(String size) throws Exception {
        Files.createDirectory(folder.resolve("checkpoints"));
        mounted = run("mount", "-t", "tmpfs", "-o", "size=" + size, "none", store());
        assumeTrue(mounted, "needs the right to mount a file system");
    }

    private void mount(String... options) throws Exception {
        assertThat(run(Stream.of(Stream.of("mount"), Stream.of(options), Stream.of(store()))
                        .flatMap(part -> part)
                        .toArray(String[]::new)))
                .isTrue();
    }

    private String store() {
        return folder.resolve("checkpoints").toAbsolutePath().toString();
    }

    private static boolean run(String... command) throws Exception {
        return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    }

    @AfterEach
    void stop() throws Exception {
        if (fleet != null) {
            fleet.close();
        }
        if (mounted) {
            run("umount", store());
        }
    }
}
