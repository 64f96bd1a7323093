package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.PackagedFleet;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.faults.DroppingProxy.Fate;
import io.trainyard.topics.Brokers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// A short version of the campaigns of faults: some kill points once, a worker that stands still, the broker killed
/// once, a fleet that nobody may enter who is not of it, and lost answers. The checkpoints are in buckets, of a server
/// each; those of other tests are in folders.
@DisabledOnOs(OS.WINDOWS)
final class FaultsIT {
    /// Keepers act after two seconds of silence, and not after sixteen.
    private static final List<String> SOON = List.of("TRAINYARD_WORKER_HEARTBEAT=250ms");

    /// On a device that has no kernels to compile while it waits.
    private static final FaultFleet.Setup SETUP = new FaultFleet.Setup(SOON, "reference", FaultFleet.smallJob());

    private static final Set<ApiKeys> LOSSY =
            Set.of(ApiKeys.PRODUCE, ApiKeys.SHARE_ACKNOWLEDGE, ApiKeys.SHARE_GROUP_HEARTBEAT);

    /// Of the answers to each of these requests the first is lost, and one in so many after it.
    private static final int ONE_IN = 3;

    /// Where a job changes hands, where an end is kept and not told; and one that stands still, and goes on when its
    /// job is another's. There is nobody else, so that the first jobs
    /// strike all. Each costs five seconds of a processor to start.
    private static final List<String> VICTIMS =
            List.of("attempt-created", "accepted", "outcome-kept", "manifest-written#2:stop");

    @TempDir
    private Path folder;

    @Test
    void whateverWorkersAndTheBrokerDieOfEachJobEndsOnceWithTheSameBits() throws Exception {
        try (FaultFleet fleet = FaultFleet.start(folder, FaultStore.Kind.S3PROXY.open(folder), SETUP)) {
            List<Victim> victims = VICTIMS.stream().map(fleet::startVictim).toList();
            List<String> jobs = fleet.strike(victims, 0);
            fleet.startWorker();
            for (Victim victim : victims) {
                if (victim.isToStop()) {
                    victim.process().resume();
                }
            }
            fleet.awaitFinished(jobs);

            String last = fleet.submit(1).getFirst();
            var _ = fleet.news().await(last, CheckpointSaved.class);
            fleet.fleet().broker().kill();
            var _ = fleet.fleet().broker().exitStatus();
            fleet.fleet().restartBroker();
            fleet.awaitFinished(List.of(last));
            fleet.check();
        }
    }

    /// Over TLS, everybody with a password and with no more ACLs than the role needs; a checkpoint is half there.
    @Test
    void aFleetWhoseWorkersMayOnlyWhatTheyNeedEndsAJobOnceToo() throws Exception {
        try (FaultFleet fleet =
                FaultFleet.start(folder, FaultKafka.SECURE, FaultStore.Kind.S3PROXY.open(folder), SETUP)) {
            Victim victim = fleet.startVictim("files-written");
            List<String> jobs = fleet.strike(List.of(victim), 0);
            fleet.startWorker();
            fleet.awaitFinished(jobs);
            fleet.check();
        }
    }

    @Test
    void whatTheBrokerDidAndNobodyHeardOfDoesNoHarm() throws Exception {
        Map<ApiKeys, Integer> answers = new ConcurrentHashMap<>();
        try (LossyBroker broker = new LossyBroker(
                folder.resolve("kafka"),
                request -> LOSSY.contains(request.api()) && answers.merge(request.api(), 1, Integer::sum) % ONE_IN == 1
                        ? Fate.BREAKS
                        : Fate.ARRIVES)) {
            Path own = Files.createDirectory(folder.resolve("fleet"));
            PackagedFleet behind = PackagedFleet.on(own, broker.lossyAddress());
            FaultStore store = FaultStore.Kind.S3MOCK.open(own);
            try (FaultFleet fleet = new FaultFleet(own, behind, Brokers.at(broker.address()), store, SETUP)) {
                fleet.startWorker();
                fleet.fleet().awaitMembers();
                fleet.awaitFinished(fleet.submit(2));
                assertThat(broker.proxy().lost()).containsOnlyKeys(LOSSY);
                fleet.check();
            }
        }
    }
}
