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

/// A short version of the fault campaigns: some kill points once, a frozen worker, one kill of the broker, and
/// lost answers. The checkpoints are in buckets, with a server for each test; other tests use folders.
@DisabledOnOs(OS.WINDOWS)
final class FaultsIT {
    /// Ownership monitors act after two seconds without heartbeats instead of sixteen.
    private static final List<String> SOON = List.of("TRAINYARD_WORKER_HEARTBEAT=250ms");

    /// The reference device has no kernels to compile.
    private static final FaultFleet.Setup SETUP = new FaultFleet.Setup(SOON, "reference", FaultFleet.smallJob());

    private static final Set<ApiKeys> LOSSY =
            Set.of(ApiKeys.PRODUCE, ApiKeys.SHARE_ACKNOWLEDGE, ApiKeys.SHARE_GROUP_HEARTBEAT);

    /// The first answer to each of these requests is lost, and then one in this number.
    private static final int ONE_IN = 3;

    /// Kill points where a job changes its owner and where an end is stored but not published, and a worker
    /// that freezes and continues after it lost its job. There are no other workers, so the first jobs hit all
    /// of them. Each takes five seconds of CPU time to start.
    private static final List<String> VICTIMS =
            List.of("attempt-created", "accepted", "outcome-stored", "manifest-written#2:stop");

    @TempDir
    private Path folder;

    @Test
    void eachJobEndsOnceWithTheSameBitsAfterAnyFault() throws Exception {
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
            var _ = fleet.records().await(last, CheckpointSaved.class);
            fleet.fleet().broker().kill();
            var _ = fleet.fleet().broker().exitStatus();
            fleet.fleet().restartBroker();
            fleet.awaitFinished(List.of(last));
            fleet.check();
        }
    }

    @Test
    void lostResponsesOfTheBrokerDoNoHarm() throws Exception {
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
