package io.trainyard.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.SweepView;
import io.trainyard.sweep.Trials;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SweepTableTest {
    private static final JobSpec SWEEP = JobJson.read("""
            {"id": "rates", "network": "fashion", "dataset": "shapes28", "epochs": 4, "asha": {"minEpochs": 1, "reductionFactor": 2},
             "sweep": {"optimizer.learningRate": [0.1, 0.01], "batchSize": [16, 32]}}""".getBytes(StandardCharsets.UTF_8));

    private static JobState requested(JobSpec job) {
        JobState state = new JobState(job.id());
        state.apply(new Requested(job.id(), job, "commands.normal-0@1", 1));
        return state;
    }

    private static List<JobState> trials(double... accuracies) {
        List<JobState> states =
                Trials.of(SWEEP).stream().map(SweepTableTest::requested).toList();
        for (int i = 0; i < accuracies.length; i++) {
            JobState state = states.get(i);
            state.apply(SampleEvents.claimed(state.job(), 1, "w"));
            state.apply(SampleEvents.tested(state.job(), 1, 0, 10, accuracies[i]));
        }
        return states;
    }

    @Test
    void theBestRunIsFirstAndDifferingFieldsAreColumns() {
        SweepView view = SweepView.ofStates("rates", trials(0.5, 0.75, 0.75));
        assertThat(SweepTable.lines(view, 10))
                .containsExactly(
                        "sweep rates: 4 trials, 1 queued, 3 running",
                        "best so far: rates.2-lr0.1-bs32, accuracy 0.7500, 1 of 4 epochs",
                        "",
                        "TRIAL                STATE    batchSize  learningRate  EPOCHS  RUNG  BEST ACCURACY",
                        "rates.2-lr0.1-bs32   RUNNING  32         0.1           1/4     1     0.7500         ###############",
                        "rates.3-lr0.01-bs16  RUNNING  16         0.01          1/4     1     0.7500         ###############",
                        "rates.1-lr0.1-bs16   RUNNING  16         0.1           1/4     1     0.5000         ##########",
                        "rates.4-lr0.01-bs32  QUEUED   32         0.01          0/4     -     -");
        assertThat(SweepTable.lines(view, 1)).endsWith("and 3 more");
    }

    @Test
    void aSweepCountsInItsGroupUntilItIsExpanded() {
        JobState sweep = requested(SWEEP);
        JobState trial = requested(Trials.of(SWEEP).getFirst());
        assertThat(SweepView.has("rates", sweep)).isTrue();
        assertThat(SweepView.has("rates", trial)).isTrue();
        assertThat(SweepView.has("other", trial)).isFalse();
        sweep.apply(new Expanded("rates", 1, 4));
        assertThat(SweepView.has("rates", sweep)).isFalse();
        assertThat(sweep.status().isFinal()).isTrue();
        assertThat(sweep.reason()).isEqualTo("it was expanded into 4 jobs, which have its id as group");
    }
}
