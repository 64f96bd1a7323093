package io.trainyard.history;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.evaluated;
import static io.trainyard.event.SampleEvents.evaluation;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.finishedWithTest;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.paused;
import static io.trainyard.event.SampleEvents.released;
import static io.trainyard.event.SampleEvents.resumed;
import static io.trainyard.event.SampleEvents.spec;
import static io.trainyard.event.SampleEvents.started;
import static io.trainyard.event.SampleEvents.tested;
import static io.trainyard.event.SampleEvents.whole;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.event.Histories;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TrainingEvent;
import io.trainyard.history.HistoryChecker.Report;
import io.trainyard.spec.CheckpointName;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import org.junit.jupiter.api.Test;

/// Finds each kind of injected violation, and none in correct histories. Jobs have two epochs of ten steps;
/// events are one second apart.
class HistoryCheckerTest {
    private static final int SECOND = 1000;

    @SeededProperty
    void acceptsValidHistoriesInAnyOrder(@ForAll long seed) {
        List<List<EventRecord>> topics = Histories.of(seed);
        Random random = new Random(seed);
        Report live = check(Histories.read(topics, random));
        assertThat(live.wrong()).isEmpty();
        assertThat(check(Histories.read(Histories.compacted(topics), random))).isEqualTo(live);
    }

    @Test
    void acceptsACompleteJob() {
        assertThat(check(published(whole("a")))).isEqualTo(new Report(List.of(), List.of()));
    }

    @Test
    void acceptsAnEvaluationWithoutSteps() {
        CheckpointName source = new CheckpointName("b", 20L);
        assertThat(check(published(List.of(
                        claimed("a"),
                        started(evaluation("a", source), 1, 1, 0, source),
                        evaluated("a", 1, 20, 0.5),
                        finished("a", 1, 0)))))
                .isEqualTo(new Report(List.of(), List.of()));
    }

    @Test
    void reportsTwoEnds() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.add(failed("a", 2, "no memory"));
        assertThat(check(published(events)).wrong())
                .containsExactly("job a: it has more than one end: finished in attempt 1, failed in attempt 2");
    }

    @Test
    void acceptsARepeatedEnd() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.add(events.getLast());
        assertThat(check(published(events)).wrong()).isEmpty();
        events.set(events.size() - 2, finishedWithTest("a", 20, 0, 10, 0.7));
        events.set(events.size() - 1, finishedWithTest("a", 20, 0, 10, 0.7));
        assertThat(check(published(events)).wrong()).isEmpty();
    }

    @Test
    void reportsAMissingStep() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.set(4, losses("a", 1, 1, 13, 8));
        assertThat(check(published(events)).wrong())
                .containsExactly("job a: steps 11 to 12 are published by no attempt that counts");
        events.set(4, losses("a", 1, 1, 11, 9));
        assertThat(check(published(events)).wrong())
                .containsExactly("job a: step 20 is published by no attempt that counts");
    }

    /// The stored checkpoint covers these steps, but no attempt that counts has published them.
    @Test
    void reportsStepsOfSupersededAttempts() {
        assertThat(check(published(List.of(
                                claimed("a", 1),
                                started("a", 1, 1),
                                losses("a", 1, 0, 1, 10),
                                tested("a", 1, 0, 10, 0.5),
                                claimed("a", 2),
                                started("a", 2, 11),
                                losses("a", 1, 1, 11, 5),
                                claimed("a", 3),
                                started("a", 3, 16),
                                losses("a", 3, 1, 16, 5),
                                tested("a", 3, 1, 20, 0.5),
                                finished("a", 3, 20))))
                        .wrong())
                .containsExactly("job a: steps 11 to 15 are published by no attempt that counts");
    }

    @Test
    void remarksStepsDeletedByRetention() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.remove(2);
        assertThat(check(published(events)))
                .isEqualTo(new Report(List.of(), List.of("job a: steps 1 to 10 are no longer on the topic")));
        events.removeIf(
                event -> event instanceof TrainingEvent.StepLosses || event instanceof TrainingEvent.EpochTested);
        assertThat(check(published(events)).remarks())
                .containsExactly(
                        "job a: steps 1 to 20 are no longer on the topic",
                        "job a: tests 0 to 1 are no longer on the topic");
    }

    @Test
    void reportsAStepWithTwoLosses() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.add(3, losses("a", 1, 0, 10, new float[] {99}));
        assertThat(check(published(events)).wrong())
                .containsExactly("job a: attempt 1 published step 10 twice, with different losses");
    }

    @Test
    void reportsAttemptsWithDifferentBits() {
        List<TrainingEvent> events = new ArrayList<>(List.of(
                claimed("a", 1), started("a", 1, 1), losses("a", 1, 0, 1, new float[] {2.9f, Math.nextUp(2.8f)})));
        for (TrainingEvent event : List.of(claimed("a", 2), started("a", 2, 1), losses("a", 2, 0, 1, 2))) {
            events.add(event);
        }
        assertThat(check(published(events)).wrong())
                .singleElement()
                .asString()
                .matches("job a: step 2 has the loss 2\\.8\\d* in attempt 1 and 2\\.8\\d* in attempt 2");
    }

    @Test
    void reportsMissingAndRepeatedTests() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.remove(5);
        assertThat(check(published(events)).wrong())
                .containsExactly("job a: epoch 1 is tested by no attempt that counts");

        List<TrainingEvent> twice = new ArrayList<>(whole("a").subList(0, 6));
        twice.addAll(List.of(claimed("a", 2), started("a", 2, 21), tested("a", 2, 1, 20, 0.75), finished("a", 2, 20)));
        assertThat(check(published(twice)).wrong())
                .containsExactly("job a: epoch 1 is tested by attempts [1, 2], each of which counts");
    }

    @Test
    void reportsEventsAfterTheEnd() {
        for (TrainingEvent end : List.of(released("a", 1, 5, "worker stops"), failed("a", 1, "no"))) {
            assertThat(check(published(List.of(claimed("a"), started("a", 1, 1), end, losses("a", 1, 0, 1, 5))))
                            .wrong())
                    .containsExactly(
                            "job a: attempt 1 published stepLosses 1000 ms after its end, %s".formatted(end.type()));
        }
    }

    /// Another worker may publish that a job is paused or cancelled; the owner notices a little later.
    @Test
    void reportsLateEventsAfterAPauseOrCancellation() {
        for (TrainingEvent end : List.of(paused("a", 1, 5), cancelled("a", 1, 5))) {
            List<JobRecord> records = new ArrayList<>(published(List.of(claimed("a"), started("a", 1, 1), end)));
            long endMillis = records.getLast().millis();
            long lease = HistoryChecker.LEASE.toMillis();
            records.add(new EventRecord(losses("a", 1, 0, 1, 5), endMillis + lease, null, 3));
            assertThat(check(records).wrong()).isEmpty();
            records.add(new EventRecord(losses("a", 1, 0, 6, 5), endMillis + lease + 1, null, 4));
            assertThat(check(records).wrong())
                    .containsExactly(
                            "job a: attempt 1 published stepLosses 20001 ms after its end, %s".formatted(end.type()));
        }
    }

    @Test
    void aPauseBeforeTheClaimDoesNotEndTheAttempt() {
        assertThat(check(published(List.of(
                                paused("a", 1, 0),
                                resumed("a", 1),
                                claimed("a"),
                                started("a", 1, 1),
                                cancelled("a", 1, 0))))
                        .wrong())
                .isEmpty();
    }

    @Test
    void reportsLongOverlapsOfAttempts() {
        List<JobRecord> records =
                new ArrayList<>(published(List.of(claimed("a", 1), started("a", 1, 1), claimed("a", 2))));
        records.add(new EventRecord(losses("a", 1, 0, 1, 5), 22 * SECOND));
        assertThat(check(records).wrong()).isEmpty();
        records.add(new EventRecord(losses("a", 1, 0, 6, 5), 22 * SECOND + 1));
        assertThat(check(records).wrong())
                .containsExactly(
                        "job a: attempt 1 published stepLosses 20001 ms after a newer one was claimed; allowed is 20000 ms");
    }

    @Test
    void remarksMissingClaimsAndAttempts() {
        Report report = check(published(List.of(started("a", 3, 1), claimed("a", 4))));
        assertThat(report.wrong()).isEmpty();
        assertThat(report.remarks())
                .contains(
                        "job a: attempt 3 published started, but no claim: its worker died before the brokers had it",
                        "job a: no records of attempts 1 to 2: its worker died before its first event");
    }

    @Test
    void reportsStepsBeforeTheFirst() {
        assertThat(check(published(List.of(claimed("a", 1), started("a", 1, 11), losses("a", 1, 0, 10, 3))))
                        .wrong())
                .containsExactly("job a: attempt 1 published step 10, but starts at step 11");
    }

    @Test
    void reportsUnfinishedJobsOnlyIfAllMustHaveEnded() {
        List<JobRecord> records = List.of(
                new Requested("open", spec("open"), "commands-0 at offset 1", 1),
                new Requested("refused", spec("refused"), "commands-0 at offset 2", 1),
                new Rejected("refused", "commands-0 at offset 2", "no data", 2));
        assertThat(check(records))
                .isEqualTo(new Report(List.of(), List.of("job open: it has not ended: it is queued")));
        HistoryChecker complete = new HistoryChecker(HistoryChecker.LEASE, true);
        records.forEach(complete::take);
        assertThat(complete.report())
                .isEqualTo(new Report(List.of("job open: it has not ended: it is queued"), List.of()));
    }

    @Test
    void remarksLossesThatAreTooFarApart() {
        List<TrainingEvent> events = new ArrayList<>(whole("a"));
        events.add(5, losses("a", 1, 1, HistoryChecker.MAX_STEPS + 5L, 2));
        assertThat(check(published(events)))
                .isEqualTo(new Report(
                        List.of(),
                        List.of("job a: it has too many losses, or too large gaps between them, to be checked")));
    }

    private static List<JobRecord> published(List<TrainingEvent> events) {
        List<JobRecord> records = new ArrayList<>();
        for (TrainingEvent event : events) {
            records.add(new EventRecord(event, SECOND * records.size(), null, records.size()));
        }
        return records;
    }

    private static Report check(List<? extends JobRecord> records) {
        HistoryChecker checker = new HistoryChecker(HistoryChecker.LEASE, false);
        records.forEach(checker::take);
        return checker.report();
    }

    @Test
    void reportsLostJobs() {
        HistoryChecker checker = new HistoryChecker(HistoryChecker.LEASE, false);
        published(List.of(claimed("a"), claimed("b"), claimed("c"))).forEach(checker::take);
        published(whole("d")).forEach(checker::take);
        assertThat(checker.open()).containsExactly("a", "b", "c");
        assertThat(checker.report().wrong()).as("the queues are not known").isEmpty();
        checker.findable("a");
        checker.findable("b");
        checker.stored("b", 2);
        checker.stored("c", 5);
        checker.lostAreKnown();
        Report report = checker.report();
        assertThat(report.wrong())
                .singleElement()
                .satisfies(sentence -> assertThat(sentence)
                        .startsWith("job c: it is lost: ")
                        .contains("the store has 5 attempts of it, and events name 1", "Submit the same job"));
        assertThat(report.remarks()).contains("job b: the store has 2 attempts of it, and events name 1");
    }
}
