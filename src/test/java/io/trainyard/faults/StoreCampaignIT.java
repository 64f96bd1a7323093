package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Patience;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What happens to a store under a real worker: what is damaged is passed over, what cannot be written leaves the
/// checkpoint before, and the worker says why.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class StoreCampaignIT {
    private static final int DAMAGES = Integer.getInteger("faults.damages", 3);

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

    /// Its worker is killed after the third checkpoint's manifest; before a keeper finds out, a file of that
    /// checkpoint is damaged.
    @ParameterizedTest
    @EnumSource
    void aDamagedCheckpointIsPassedOver(Damage damage) throws Exception {
        fleet = FaultFleet.start(folder, List.of(), "cpu", FaultFleet.job(2));
        for (int i = 0; i < DAMAGES; i++) {
            String ending =
                    List.of(".safetensors", ".training.safetensors", ".json").get(i % 3);
            Victim victim = fleet.startVictim("manifest-written#3");
            List<String> jobs = fleet.strike(List.of(victim), 0);
            String job = jobs.getFirst();
            List<Path> files = checkpoints(job);
            Path newest = files.getLast();
            Path file = newest.resolveSibling(newest.getFileName().toString().replaceAll("\\.json$", ending));
            Files.write(file, damage.of(Files.readAllBytes(file)));
            String worker = fleet.startWorker();
            fleet.awaitFinished(jobs);
            Started second = fleet.news().of(job, Started.class).getLast();
            assertThat(second.firstStep()).isEqualTo(step(files.get(files.size() - 2)) + 1);
            assertThat(fleet.fleet().worker(worker).errors()
                            + fleet.fleet().worker(worker).output())
                    .contains("is passed over");
            fleet.fleet().worker(worker).kill();
        }
        fleet.check();
        FaultTable.add(
                "a file of the newest checkpoint %s".formatted(damage.toString().toLowerCase(java.util.Locale.ROOT)),
                DAMAGES,
                List.of(),
                "passed over, from the one before; the log says it; the checker finds nothing; the same SHA-256");
    }

    /// The manifests of a job's checkpoints, the newest last.
    private List<Path> checkpoints(String job) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("checkpoints/" + job + "/checkpoints"))) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted(Comparator.naturalOrder())
                    .toList();
        }
    }

    private static long step(Path manifest) {
        return Long.parseLong(manifest.getFileName().toString().replaceAll("step-0*([0-9]+)-.*", "$1"));
    }

    @Test
    void aStoreThatIsReadOnlyGivesTheJobBack() throws Exception {
        storeOf("64m");
        giveBack("read-only", () -> mount("-o", "remount,ro"), () -> mount("-o", "remount,rw"));
    }

    @Test
    void aStoreThatIsFullGivesTheJobBack() throws Exception {
        storeOf("8m");
        Path filler = folder.resolve("checkpoints/filler");
        giveBack("full", () -> fill(filler), () -> Files.delete(filler));
    }

    /// Something that is done to the store.
    @FunctionalInterface
    private interface Fault {
        void happen() throws Exception;
    }

    /// The store fails after the first checkpoints, and is whole again once the worker has given the job back.
    private void giveBack(String what, Fault fault, Fault mend) throws Exception {
        fleet = FaultFleet.start(
                folder, List.of(), "cpu", FaultFleet.job(12).replace("\"epochs\"", "\"keepLast\": 2, \"epochs\""));
        fleet.startWorker();
        fleet.startWorker();
        fleet.fleet().awaitMembers();
        String job = fleet.submit(1).getFirst();
        var _ = fleet.news().await(job, CheckpointSaved.class);
        fault.happen();
        Released released = fleet.news().await(job, Released.class);
        String worker = fleet.news().of(job, Claimed.class).getFirst().worker();
        assertThat(released.reason()).as(fleet.fleet().toString()).containsAnyOf("Read-only", "No space left");
        assertThat(released.step()).isPositive();
        Patience.await("the worker to say that it takes no job")
                .untilAsserted(() -> assertThat(fleet.fleet().worker(worker).errors()
                                + fleet.fleet().worker(worker).output())
                        .contains("a checkpoint could not be written")
                        .contains("takes no job for"));
        mend.happen();
        fleet.awaitFinished(List.of(job));
        List<Started> starts = fleet.news().of(job, Started.class);
        assertThat(starts.getLast().firstStep()).isGreaterThan(1);
        fleet.check();
        FaultTable.add(
                "the store %s".formatted(what),
                1,
                List.of(),
                "given back after three checkpoints failed; `released` says \"%s\"; on from step %d; the checker finds nothing; the same SHA-256"
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
