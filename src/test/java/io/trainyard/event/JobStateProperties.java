package io.trainyard.event;

import static io.trainyard.event.SampleEvents.cancelled;
import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.SeededProperty;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;

/// The state after any valid history is the same for every reading order.
class JobStateProperties {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    @SeededProperty
    void theStateIsTheSameInAnyOrderAndAfterCompaction(@ForAll long seed) throws JsonProcessingException {
        List<List<EventRecord>> topics = Histories.of(seed);
        Random random = new Random(seed);
        String live = fold(Histories.read(topics, random));
        List<DeviceUse> uses = stateOf(Histories.read(topics, random)).deviceUses();
        for (int reader = 0; reader < 5; reader++) {
            List<EventRecord> read = Histories.read(topics, random);
            assertThat(fold(read)).isEqualTo(live);
            assertThat(stateOf(read).deviceUses()).isNotEmpty().isEqualTo(uses);
            assertThat(fold(Histories.read(Histories.compacted(topics), random)))
                    .as("after compaction")
                    .isEqualTo(live);
        }
    }

    @SeededProperty
    void anEndIsFinal(@ForAll long seed) {
        Random random = new Random(seed);
        List<TrainingEvent> ends =
                List.of(finished(Histories.JOB, 1, 20), failed(Histories.JOB, 1, "no"), cancelled(Histories.JOB, 1, 5));
        TrainingEvent end = ends.get(random.nextInt(3));
        List<EventRecord> records = new ArrayList<>(Histories.read(Histories.of(seed), random));
        records.removeIf(each -> JobEnd.of(each) != null);
        records.add(random.nextInt(records.size() + 1), new EventRecord(end, 1, "anyone", 9));
        JobState state = stateOf(records);
        assertThat(state.status())
                .isEqualTo(
                        switch (end) {
                            case TrainingEvent.Finished _ -> Status.FINISHED;
                            case TrainingEvent.Failed _ -> Status.FAILED;
                            default -> Status.CANCELLED;
                        });
        assertThat(state.attempt()).isEqualTo(1);
    }

    @SeededProperty
    void allReadersChooseTheSameOfTwoEnds(@ForAll long seed) throws JsonProcessingException {
        Random random = new Random(seed);
        List<EventRecord> ends = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int attempt = 1 + random.nextInt(2);
            TrainingEvent end = switch (random.nextInt(3)) {
                case 0 -> finished(Histories.JOB, attempt, random.nextInt(20));
                case 1 -> failed(Histories.JOB, attempt, "reason " + random.nextInt(3));
                default -> cancelled(Histories.JOB, attempt, random.nextInt(20));
            };
            ends.add(new EventRecord(end, random.nextInt(9), "w" + i, i));
        }
        String one = fold(ends);
        Collections.shuffle(ends, random);
        assertThat(fold(ends)).isEqualTo(one);
    }

    /// Other workers' records of an attempt may be read before its claim. After the claim, only records of its
    /// worker count.
    @SeededProperty
    void eventsOfOtherWorkersAreIgnoredAfterTheClaim(@ForAll long seed) throws JsonProcessingException {
        Random random = new Random(seed);
        List<EventRecord> honest = Histories.read(Histories.of(seed), random);
        List<EventRecord> claims = honest.stream()
                .filter(records -> records.event() instanceof TrainingEvent.Claimed)
                .toList();
        List<EventRecord> records = new ArrayList<>(claims);
        for (EventRecord each : honest) {
            records.add(each);
            records.add(new EventRecord(forged(each.event()), each.millis(), "stranger", each.offset()));
        }
        List<EventRecord> plain = new ArrayList<>(claims);
        plain.addAll(honest);
        assertThat(fold(records)).isEqualTo(fold(plain));
    }

    private static TrainingEvent forged(TrainingEvent event) {
        return switch (event) {
            case TrainingEvent.StepLosses e -> SampleEvents.losses(e.job(), e.attempt(), 1, 17, new float[] {99});
            case TrainingEvent.EpochTested e -> SampleEvents.tested(e.job(), e.attempt(), e.epoch(), e.step(), 0.01);
            case TrainingEvent.CheckpointSaved e -> SampleEvents.saved(e.job(), e.attempt(), 1, 20);
            case TrainingEvent.Started e -> SampleEvents.started(e.job(), e.attempt(), 1);
            default -> claimed(event.job(), event.attempt());
        };
    }

    private static String fold(List<EventRecord> records) throws JsonProcessingException {
        JobState state = stateOf(records);
        return MAPPER.writeValueAsString(state) + " test " + MAPPER.writeValueAsString(state.lastTest()) + " steps "
                + state.attemptsToSteps();
    }

    private static JobState stateOf(List<EventRecord> records) {
        JobState state = new JobState(Histories.JOB);
        records.forEach(state::apply);
        return state;
    }
}
