package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.FailureCause;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.ownership.CommandContent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A sweep on real brokers: it is expanded once, no matter which workers get the command, and how often.
@Slow
class ExpansionTest {
    private static final Set<String> TRIALS =
            Set.of("rates.1-bs8-s1", "rates.2-bs8-s2", "rates.3-bs16-s1", "rates.4-bs16-s2");

    private final Fleet fleet = new Fleet();

    @AfterEach
    void close() {
        fleet.close();
    }

    private static final String COMMAND = """
            {"id": "rates", "network": "lenet", "dataset": "shapes32", "epochs": 1,
             "sweep": {"batchSize": [8, 16], "seed": [1, 2]}}""";

    private static final JobSpec SWEEP = JobJson.read(COMMAND.getBytes(StandardCharsets.UTF_8));

    private void submit() {
        fleet.submit(Topic.COMMANDS_HIGH, "rates", COMMAND.getBytes(StandardCharsets.UTF_8));
    }

    private static Set<String> keys(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream()
                .map(record -> new String(record.key(), StandardCharsets.UTF_8))
                .collect(Collectors.toSet());
    }

    private static Set<String> jobs(List<TrainingEvent> events, Class<?> type) {
        return events.stream().filter(type::isInstance).map(TrainingEvent::job).collect(Collectors.toSet());
    }

    @Test
    void eachTrialRunsOnceDespiteRepeatedExpansion() throws Exception {
        submit();
        submit();
        for (String worker : List.of("a", "b")) {
            var _ = fleet.start(worker, fleet.runner(worker));
        }
        List<TrainingEvent> events = fleet.eventsUntilFinished(4);
        assertThat(jobs(events, Finished.class)).isEqualTo(TRIALS);
        fleet.store.delete("rates/attempts/2"); // as if its worker had died before it was stored
        CommandContent second = new CommandContent(SWEEP, 2, Priority.HIGH, List.of(), null, null, 0);
        var _ = Patience.get(fleet.publisher("monitor").publish(second));
        fleet.submit("last");
        events = fleet.events(all -> jobs(all, Finished.class).size() >= 5
                && all.stream().filter(Expanded.class::isInstance).count() >= 2); // the expansion runs in its own slot
        assertThat(events).filteredOn(Claimed.class::isInstance).hasSize(5);
        assertThat(events)
                .filteredOn(Expanded.class::isInstance)
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(event -> assertThat(((Expanded) event).trials()).isEqualTo(4));
        assertThat(fleet.read(Topic.COMMANDS_HIGH, read -> keys(read).containsAll(TRIALS)))
                .as("as urgent as the sweep")
                .hasSizeGreaterThan(TRIALS.size());
        assertThat(new JobFolder(fleet.store, "rates").chain().end()).isPresent();
    }

    @Test
    void aCancelledSweepHasNoTrials() {
        fleet.desiredState("rates", DesiredState.CANCEL);
        submit();
        fleet.submit("last");
        var _ = fleet.start("a", fleet.runner("a"));
        List<TrainingEvent> events = fleet.eventsUntilFinished(1);
        assertThat(events)
                .filteredOn(Cancelled.class::isInstance)
                .extracting(TrainingEvent::job)
                .containsOnly("rates");
        assertThat(jobs(events, Claimed.class)).containsExactly("last");
    }

    @Test
    void aSweepThatEndsItsWorkersFails() throws Exception {
        JobFolder folder = new JobFolder(fleet.store, "rates");
        assertThat(folder.keepSpec(JobJson.command(SWEEP).json().toString())).isTrue();
        for (int dead = 1; dead <= 5; dead++) {
            Owner owner = Owner.of("dead", "elsewhere", 1);
            assertThat(folder.append(dead - 1, owner)).isEqualTo(owner);
            folder.noteStarted(dead);
        }
        CommandContent sixth = new CommandContent(SWEEP, 6, Priority.NORMAL, List.of(), null, null, 0);
        var _ = Patience.get(fleet.publisher("monitor").publish(sixth));
        fleet.submit("last");
        var _ = fleet.start("a", fleet.runner("a"));
        List<TrainingEvent> events = fleet.eventsUntilFinished(1);
        assertThat(events).filteredOn(Failed.class::isInstance).singleElement().satisfies(event -> {
            assertThat(event.job()).isEqualTo("rates");
            assertThat(((Failed) event).reason()).startsWith("5 attempts in a row to publish its trials");
            assertThat(((Failed) event).cause()).isEqualTo(FailureCause.BROKE_OFF.word());
        });
        assertThat(jobs(events, Claimed.class)).containsExactly("last");
    }
}
