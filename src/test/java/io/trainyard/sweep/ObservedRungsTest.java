package io.trainyard.sweep;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.failed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.tested;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObservedRungsTest {
    private final JobState a = trial("a");
    private final JobState b = trial("b");
    private final JobState c = trial("c");
    private final List<JobState> group = List.of(a, b, c);

    private static JobState trial(String id) {
        JobSpec spec = JobJson.read("""
                {"id": "%s", "network": "fashion", "dataset": "shapes28", "epochs": 8, "group": "g", "asha": {"reductionFactor": 2}}""".formatted(id).getBytes(StandardCharsets.UTF_8));
        JobState state = new JobState(id);
        state.apply(new Requested(id, spec, "commands.normal-0@1", 1));
        state.apply(claimed(id, 1, "w"));
        return state;
    }

    private static void rest(JobState job, int epochs, double accuracy) {
        for (int epoch = job.epochs().size(); epoch < epochs; epoch++) {
            job.apply(tested(job.job(), 1, epoch, 10L * (epoch + 1), accuracy));
        }
        job.apply(new Paused(job.job(), 1, 10L * epochs, epochs, "others are better"));
    }

    /// The last trial is paused before the best one has been resumed.
    @Test
    void aPausedJobAmongTheBestContinues() {
        rest(a, 1, 0.75);
        assertThat(ObservedRungs.areOpen(group)).as("two run").isTrue();
        rest(b, 1, 0.5);
        rest(c, 1, 0.25);
        assertThat(ObservedRungs.areOpen(group)).as("a goes on").isTrue();
        a.apply(new Resumed("a", 1));
        assertThat(ObservedRungs.areOpen(group)).as("it waits").isTrue();
        rest(a, 2, 0.5);
        assertThat(ObservedRungs.areOpen(group)).as("alone at the next rung").isFalse();
    }

    @Test
    void failedJobsCountAsWorstAndCancelledOnesDoNotCount() {
        rest(a, 1, 0.75);
        b.apply(new Cancelled("b", 1, 3));
        c.apply(new Cancelled("c", 1, 3));
        assertThat(ObservedRungs.areOpen(group)).as("one of one").isFalse();
        JobState d = trial("d");
        d.apply(failed("d", 1, "the loss is not a number"));
        assertThat(ObservedRungs.areOpen(List.of(a, d))).as("one of two").isTrue();
    }

    @Test
    void aJobThatEndedEarlyCountsAtItsNextRung() {
        rest(a, 2, 0.25);
        rest(c, 1, 0.125);
        b.apply(tested("b", 1, 0, 10, 0.5));
        b.apply(finished("b", 1, 10, "test accuracy 0.5 reached 0.5"));
        assertThat(ObservedRungs.areOpen(group))
                .as("b is the best at 2, and has ended")
                .isFalse();
        JobState d = trial("d");
        rest(d, 2, 0.75);
        assertThat(ObservedRungs.areOpen(List.of(a, b, c, d))).isTrue();
    }

    @Test
    void aJobPausedByAUserStaysPaused() {
        group.forEach(job -> job.apply(new Paused(job.job(), 1, 5)));
        assertThat(ObservedRungs.areOpen(group)).isFalse();
    }
}
