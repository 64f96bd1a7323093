package io.trainyard.worker;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.event.EventJson;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import io.trainyard.training.Supervisor.Halt;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Stands for training in a simulated world: it takes as long as the seed says, and keeps to the rules of a real
/// attempt:
/// it resumes from the newest checkpoint, tells what that one kept, tells every step, saves now and then, looks
/// whether there is a later attempt, and keeps its outcome before it tells it.
final class SimTraining implements JobRunner {
    private static final int STEPS_PER_EPOCH = 10;
    private static final int STEPS = 20;
    private static final int SAVE_EVERY = 4;
    private static final Duration STEP = Duration.ofSeconds(2);

    private final SimProcess process;
    private final CheckpointStore store;

    SimTraining(SimProcess process, CheckpointStore store) {
        this.process = process;
        this.store = store;
    }

    @Override
    public Outcome run(JobSpec job, int attempt, Supervisor supervisor) {
        return new Attempt(job.id(), attempt, supervisor).run();
    }

    private final class Attempt {
        private final String job;
        private final int number;
        private final Supervisor supervisor;
        private final JobFolder folder;
        private int step;

        Attempt(String job, int number, Supervisor supervisor) {
            this.job = job;
            this.number = number;
            this.supervisor = supervisor;
            this.folder = new JobFolder(store, job);
        }

        Outcome run() {
            tell(SampleEvents.claimed(job, number, process.name()));
            Optional<Checkpoint> newest = folder.checkpoints().newest();
            folder.noteFrom(number, newest);
            newest.ifPresent(checkpoint -> checkpoint.pending().forEach(supervisor::tellAgain));
            step = (int) newest.map(checkpoint -> checkpoint.progress().step())
                    .orElse(0L)
                    .longValue();
            tell(SampleEvents.started(job, number, step + 1));
            while (step < STEPS) {
                Optional<Halt> halt = supervisor.halt();
                if (halt.isPresent()) {
                    return stop(halt.get());
                }
                process.sleep(process.upTo(STEP));
                if (folder.isSuperseded(number)) {
                    return new Outcome.Superseded(number);
                }
                step++;
                int epoch = (step - 1) / STEPS_PER_EPOCH;
                tell(SampleEvents.losses(job, number, epoch, step, 1));
                if (step % STEPS_PER_EPOCH == 0) {
                    tell(SampleEvents.tested(job, number, epoch, step, 0.5));
                }
                if ((step % SAVE_EVERY == 0 || step == STEPS) && !save()) {
                    return new Outcome.Superseded(number);
                }
            }
            TrainingEvent.Finished event = SampleEvents.finished(job, number, STEPS);
            return conclude(event, new Outcome.Finished(event));
        }

        private boolean save() {
            if (folder.isSuperseded(number)) {
                return false;
            }
            Progress at = new Progress(
                    step / STEPS_PER_EPOCH, step % STEPS_PER_EPOCH, step, new long[] {step}, 0.5, 0.5, 0, 0);
            SessionState state = new SessionState(Parameters.NONE, Parameters.NONE);
            folder.checkpoints().save(new Checkpoint(state, at, 2, number, supervisor.unacknowledged()));
            tell(SampleEvents.saved(job, number, (step - 1) / STEPS_PER_EPOCH, step));
            return true;
        }

        private Outcome stop(Halt halt) {
            if (halt == Halt.CANCEL) {
                TrainingEvent.Cancelled event = SampleEvents.cancelled(job, number, step);
                return conclude(event, new Outcome.Cancelled(event));
            }
            if (!save()) {
                return new Outcome.Superseded(number);
            }
            if (halt == Halt.PAUSE) {
                TrainingEvent.Paused event = SampleEvents.paused(job, number, step);
                tell(event);
                return new Outcome.Paused(event);
            }
            TrainingEvent.Released event = SampleEvents.released(job, number, step, "the worker stops");
            tell(event);
            return new Outcome.Released(event);
        }

        private Outcome conclude(TrainingEvent event, Outcome outcome) {
            if (folder.isSuperseded(number)) {
                return new Outcome.Superseded(number);
            }
            Instant now = process.now();
            if (!folder.keepOutcome(EventJson.write(event, now))) {
                return Outcome.tellKept(folder.outcome().orElseThrow(), supervisor);
            }
            supervisor.tell(event, now);
            return outcome;
        }

        private void tell(TrainingEvent event) {
            supervisor.tell(event, process.now());
        }
    }
}
