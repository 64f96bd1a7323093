package io.trainyard.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.PackagedFleet;
import io.trainyard.faults.DroppingProxy.Fate;
import io.trainyard.faults.DroppingProxy.Request;
import io.trainyard.topics.Brokers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Between all workers and the broker answers are lost: one in so many, drawn from a seed, breaks its connection or
/// leaves it hanging.
@Faults
@DisabledOnOs(OS.WINDOWS)
final class LostAnswersCampaignIT {
    private static final int JOBS = Integer.getInteger("faults.lost-answers.jobs", 10);
    private static final long SEED = Long.getLong("faults.seed", 1);

    /// The end of the client's id of the producer that sends heartbeats; topics have no names in these requests.
    private static final String HEARTBEATS = "-heartbeats";

    /// Of the connections that are struck so many hang; the client gives one up after half a minute.
    private static final int HANGS_ONE_IN = 10;

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set by each test
    private LossyBroker broker;

    @SuppressWarnings("NullAway.Init") // set by each test
    private FaultFleet fleet;

    /// Which answers are lost.
    enum Lost {
        /// The brokers have events, commands or custody, and the worker does not know.
        PRODUCE(50, request -> request.api() == ApiKeys.PRODUCE && !request.mentions(HEARTBEATS)),
        /// Heartbeats of workers, as custody needs them.
        HEARTBEAT(4, request -> request.api() == ApiKeys.PRODUCE && request.mentions(HEARTBEATS)),
        /// A command is accepted, and the worker does not know; or it was handed out, and does not arrive.
        ACCEPT(3, request -> request.api() == ApiKeys.SHARE_ACKNOWLEDGE),
        FETCH(300, request -> request.api() == ApiKeys.SHARE_FETCH),
        /// Heartbeats of members of share groups.
        MEMBER(4, request -> request.api() == ApiKeys.SHARE_GROUP_HEARTBEAT);

        private final int oneIn;
        private final Predicate<Request> which;

        Lost(int oneIn, Predicate<Request> which) {
            this.oneIn = oneIn;
            this.which = which;
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatTheBrokerDidAndNobodyHeardOfDoesNoHarm(Lost lost) throws Exception {
        Random random = new Random(SEED);
        broker = new LossyBroker(folder.resolve("kafka"), request -> fate(lost, request, random));
        Path own = Files.createDirectory(folder.resolve("fleet"));
        PackagedFleet behind = PackagedFleet.on(own, broker.lossyAddress());
        fleet = new FaultFleet(
                own,
                behind,
                Brokers.at(broker.address()),
                FaultStore.Kind.chosen().open(own),
                new FaultFleet.Setup(List.of(), "cpu", FaultFleet.job(2)));
        fleet.startWorker();
        fleet.startWorker();
        fleet.startWorker();
        fleet.fleet().awaitMembers();
        fleet.awaitFinished(fleet.submit(JOBS));
        assertThat(broker.proxy().lost()).isNotEmpty();
        fleet.check();
        FaultTable.add(
                "answers lost of %s: %s".formatted(lost, broker.proxy().lost()),
                JOBS,
                List.of(),
                "the checker finds nothing; the same SHA-256");
    }

    private static Fate fate(Lost lost, Request request, Random random) {
        if (!lost.which.test(request) || random.nextInt(lost.oneIn) != 0) {
            return Fate.ARRIVES;
        }
        return random.nextInt(HANGS_ONE_IN) == 0 ? Fate.HANGS : Fate.BREAKS;
    }

    @AfterEach
    void stop() {
        fleet.close();
        broker.close();
    }
}
