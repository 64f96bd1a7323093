package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.StoreException;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.event.EventJson;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Halving;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import io.trainyard.training.Supervisor.Halt;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Stands for training in a simulated world: it takes as long as the seed says, and keeps to the rules of a real
/// attempt: it resumes from the newest checkpoint, tells what that one kept, tells every step, saves now and
/// then,
/// looks whether there is a later attempt, and keeps its outcome before it tells it.
///
/// What becomes of a job follows from the first letters of its id, see [Kind].
final class SimTraining implements JobRunner {
    private static final int STEPS_PER_EPOCH = 10;
    private static final int SAVE_EVERY = 4;
    private static final int FAILS_AT = 7;
    private static final int JOBS_OF_A_PROJECT = 100_000;

    /// Why a worker that stops gives a job back.
    static final String STOPS = "the worker stops";

    /// How much longer than the longest a step may take before it hangs.
    private static final Duration HANGS = Duration.ofMinutes(1);

    /// Jobs of a simulated world.
    enum Kind {
        JOB(20, Duration.ofSeconds(2)),

        /// Fails when it has come half way.
        SICK(20, Duration.ofSeconds(2)),

        /// Needs what not every worker has.
        PICKY(20, Duration.ofSeconds(2)),

        /// Hangs at some step, now and then.
        STUCK(20, Duration.ofSeconds(2)),

        /// Trains for hours.
        LONG(200, Duration.ofMinutes(2)),

        /// Trains for two days.
        DAYS(2880, Duration.ofMinutes(2)),

        /// Says what older workers do not know.
        NEWER(20, Duration.ofSeconds(2)),

        /// Takes some five minutes.
        MINUTES(200, Duration.ofSeconds(3)),

        /// A trial of a sweep: four epochs, unless it rests at a rung.
        HALVING(40, Duration.ofSeconds(2)),

        /// The same, and makes room for nobody.
        FIRM(200, Duration.ofSeconds(3)),

        /// Is over in a moment.
        TINY(2, Duration.ofSeconds(2));

        final int steps;
        final Duration step; // the longest that it takes

        Kind(int steps, Duration step) {
            this.steps = steps;
            this.step = step;
        }

        String id(int number) {
            return name().toLowerCase(Locale.ROOT) + "-" + number;
        }

        static Kind of(String job) {
            return valueOf(job.substring(0, job.indexOf('-')).toUpperCase(Locale.ROOT));
        }
    }

    /// Mistakes.
    enum Habit {
        /// Who resumes does not tell again what the checkpoint kept of events.
        TELLS_NOTHING_AGAIN,
        /// A checkpoint keeps no events.
        KEEPS_NO_EVENTS,
        /// A superseded attempt does not look whether it is.
        IGNORES_LATER_ATTEMPTS,
        /// The end is told before it is kept.
        TELLS_BEFORE_IT_KEEPS,
        /// What the worker lacks is the job's failure.
        FAILS_FOR_WANT,
        /// That a job has failed is told, and not kept.
        KEEPS_NO_FAILURE,
        /// Who makes room for an urgent job saves nothing.
        MAKES_ROOM_WITHOUT_CHECKPOINT,
        /// Of the jobs of a worker that stops one alone is handed over.
        ONE_IS_HANDED_OVER,
        /// Nobody learns by when a step should be over.
        NOBODY_WATCHES,
        /// Whether a trial rests is decided before its result is kept, which then is kept only of those that go
        /// on.
        DECIDES_BEFORE_IT_KEEPS,
        /// A trial that has failed keeps no result.
        FAILURE_IS_NO_RESULT,
        /// Who goes on from a rung does not ask again.
        ASKS_ONCE
    }

    private static final Map<String, JobSpec> SPECS = new HashMap<>();
    private static final Map<String, String> COMMANDS = new HashMap<>();

    private final SimProcess process;
    private final CheckpointStore store;
    private final boolean lacking;
    private final Set<Habit> habits;
    private boolean oneStops;

    /// @param lacking whether this worker has not got what picky jobs need
    SimTraining(SimProcess process, CheckpointStore store, boolean lacking, Set<Habit> habits) {
        this.process = process;
        this.store = store;
        this.lacking = lacking;
        this.habits = habits;
    }

    /// The job of that id.
    static JobSpec spec(String job) {
        return SPECS.computeIfAbsent(job, id -> switch (Kind.of(id)) {
            case NEWER -> SampleEvents.newer(id);
            case FIRM -> SampleEvents.firm(id);
            default -> inProject(SampleEvents.spec(id));
        });
    }

    /// Jobs with high numbers are of projects: from 100,000 on of `p1`, from 200,000 on of `p2`, and so on.
    private static JobSpec inProject(JobSpec job) {
        String project = project(job.id());
        return project.equals(JobSpec.DEFAULT_PROJECT)
                ? job
                : JobJson.read(JobJson.command(job).json().put("project", project));
    }

    /// The number of the i-th job of a project.
    static int number(int project, int i) {
        return project * JOBS_OF_A_PROJECT + i;
    }

    /// The project of a job.
    static String project(String job) {
        int project = Integer.parseInt(job.substring(job.indexOf('-') + 1)) / JOBS_OF_A_PROJECT;
        return project == 0 ? JobSpec.DEFAULT_PROJECT : "p" + project;
    }

    /// The body of its command.
    static String command(String job) {
        return COMMANDS.computeIfAbsent(
                job, _ -> JobJson.command(spec(job)).json().toString());
    }

    @Override
    public Outcome run(JobSpec job, int attempt, Supervisor supervisor) {
        return new Attempt(job, attempt, supervisor).run();
    }

    private final class Attempt {
        private final JobSpec spec;
        private final String job;
        private final Kind kind;
        private final int number;
        private final Supervisor supervisor;
        private final JobFolder folder;
        private final Halving halving;
        private int step;
        private int first; // the step from which it goes on

        Attempt(JobSpec spec, int number, Supervisor supervisor) {
            this.spec = spec;
            this.job = spec.id();
            this.kind = Kind.of(job);
            this.number = number;
            this.supervisor = supervisor;
            this.folder = new JobFolder(store, job);
            this.halving = new Halving(store);
        }

        Outcome run() {
            if (kind == Kind.PICKY && lacking) {
                return lack();
            }
            try {
                return train();
            } catch (StoreException e) {
                return giveBack("the store cannot be used", false);
            }
        }

        private Outcome lack() {
            if (habits.contains(Habit.FAILS_FOR_WANT)) {
                return fail("there is no such data set");
            }
            return isSuperseded() ? new Outcome.Superseded(number) : giveBack("there is no such data set", true);
        }

        private Outcome giveBack(String reason, boolean lacking) {
            Released event = SampleEvents.released(job, number, 0, reason);
            tell(event);
            return new Outcome.WorkerFault(event, lacking);
        }

        private Outcome train() {
            tell(SampleEvents.claimed(job, number, process.name()));
            Optional<Checkpoint> newest = folder.checkpoints().newest();
            folder.noteFrom(number, newest);
            if (number > 1 && supervisor.heedsRungs()) {
                halving.resumes(
                        spec,
                        number,
                        newest.map(checkpoint -> checkpoint.progress().epoch()).orElse(0));
            }
            if (!habits.contains(Habit.TELLS_NOTHING_AGAIN)) {
                newest.ifPresent(checkpoint -> checkpoint.pending().forEach(supervisor::tellAgain));
            }
            step = newest.map(checkpoint -> checkpoint.progress().step())
                    .orElse(0L)
                    .intValue();
            first = step;
            tell(SampleEvents.started(spec, number, step + 1, STEPS_PER_EPOCH, null));
            while (step < kind.steps) {
                Optional<Halt> halt = supervisor.halt();
                if (halt.isPresent()) {
                    missIt(halt.get());
                    return stop(halt.get());
                }
                Optional<String> rest = rests();
                if (rest.isPresent()) {
                    return rest(rest.get());
                }
                takeStep();
                if (isSuperseded()) {
                    return new Outcome.Superseded(number);
                }
                step++;
                int epoch = (step - 1) / STEPS_PER_EPOCH;
                tell(SampleEvents.losses(job, number, epoch, step, 1));
                if (step % STEPS_PER_EPOCH == 0) {
                    tell(SampleEvents.tested(job, number, epoch, step, 0.5));
                }
                if (kind == Kind.SICK && step == FAILS_AT) {
                    return fail("the loss is not a number");
                }
                if (kind == Kind.HALVING && spec.seed() % 5 == 3 && step == FAILS_AT + STEPS_PER_EPOCH) {
                    return fail("the loss is not a number");
                }
                if ((step % SAVE_EVERY == 0 || step == kind.steps) && !save()) {
                    return new Outcome.Superseded(number);
                }
            }
            TrainingEvent.Finished event = SampleEvents.finished(job, number, kind.steps);
            return conclude(event, new Outcome.Finished(event));
        }

        private void missIt(Halt halt) {
            if (halt == Halt.DRAIN && oneStops && habits.contains(Habit.ONE_IS_HANDED_OVER)) {
                process.sleep(Duration.ofDays(365));
            }
            oneStops |= halt == Halt.DRAIN;
        }

        private Optional<String> rests() {
            if (step == 0 || step % STEPS_PER_EPOCH > 0 || spec.asha() == null || !supervisor.heedsRungs()) {
                return Optional.empty();
            }
            if (step == first && habits.contains(Habit.ASKS_ONCE)) {
                return Optional.empty();
            }
            int epochs = step / STEPS_PER_EPOCH;
            double score = spec.seed() * 37 % 101 / 100.0;
            if (habits.contains(Habit.DECIDES_BEFORE_IT_KEEPS)
                    && spec.asha().rungs(4).contains(epochs)) {
                int others = folder.group(String.valueOf(spec.group()))
                        .results(epochs)
                        .size();
                return others > 0 ? Optional.of("others are here") : halving.rests(spec, number, epochs, score);
            }
            Optional<String> reason = halving.rests(spec, number, epochs, score);
            supervisor.keptResult(String.valueOf(spec.group()));
            return reason;
        }

        private Outcome rest(String reason) {
            if (!save()) {
                return new Outcome.Superseded(number);
            }
            return pause(new TrainingEvent.Paused(job, number, step, step / STEPS_PER_EPOCH, reason));
        }

        private void takeStep() {
            if (!habits.contains(Habit.NOBODY_WATCHES)) {
                supervisor.alive(kind.step.plus(HANGS));
            }
            boolean hangs = kind == Kind.STUCK && step == FAILS_AT && number < 3;
            process.sleep(hangs ? Duration.ofDays(365) : process.upTo(kind.step));
        }

        private boolean isSuperseded() {
            return !habits.contains(Habit.IGNORES_LATER_ATTEMPTS) && folder.isSuperseded(number);
        }

        private boolean save() {
            if (isSuperseded()) {
                return false;
            }
            Progress at = new Progress(
                    step / STEPS_PER_EPOCH, step % STEPS_PER_EPOCH, step, new long[] {step}, 0.5, 0.5, 0, 0, 1, 1);
            SessionState state = new SessionState(Parameters.NONE, Parameters.NONE);
            List<String> pending = habits.contains(Habit.KEEPS_NO_EVENTS) ? List.of() : supervisor.unacknowledged();
            folder.checkpoints().save(new Checkpoint(state, at, 2, number, pending));
            if (isSuperseded()) {
                return false;
            }
            tell(SampleEvents.saved(job, number, (step - 1) / STEPS_PER_EPOCH, step));
            return true;
        }

        private Outcome stop(Halt halt) {
            if (halt == Halt.CANCEL) {
                TrainingEvent.Cancelled event = SampleEvents.cancelled(job, number, step);
                return conclude(event, new Outcome.Cancelled(event));
            }
            boolean careless = halt == Halt.PREEMPT && habits.contains(Habit.MAKES_ROOM_WITHOUT_CHECKPOINT);
            if (!careless && !save()) {
                return new Outcome.Superseded(number);
            }
            if (halt == Halt.PAUSE) {
                return pause(SampleEvents.paused(job, number, step));
            }
            Released event = supervisor
                    .preemptor()
                    .map(urgent -> SampleEvents.preempted(job, number, step, urgent))
                    .orElseGet(() -> SampleEvents.released(job, number, step, STOPS));
            tell(event);
            return new Outcome.Released(event);
        }

        private Outcome fail(String reason) {
            TrainingEvent.Failed event = SampleEvents.failed(job, number, reason);
            if (habits.contains(Habit.KEEPS_NO_FAILURE)) {
                tell(event);
                return new Outcome.Failed(event);
            }
            return conclude(event, new Outcome.Failed(event));
        }

        private Outcome conclude(TrainingEvent event, Outcome outcome) {
            Instant now = process.now();
            boolean early = habits.contains(Habit.TELLS_BEFORE_IT_KEEPS);
            if (early) {
                supervisor.tell(event, now);
            }
            ChainLink.End end = new ChainLink.End(json(event, now));
            ChainLink next = folder.append(number, end);
            if (next.equals(end) && !habits.contains(Habit.FAILURE_IS_NO_RESULT)) {
                halving.ended(spec, event, number + 1, () -> null);
            }
            return early && next.equals(end) ? outcome : follow(next);
        }

        private Outcome pause(TrainingEvent.Paused event) {
            return follow(folder.append(number, new ChainLink.Pause(json(event, process.now()))));
        }

        private Outcome follow(ChainLink next) {
            return switch (next) {
                case ChainLink.Owner _ -> new Outcome.Superseded(number);
                case ChainLink.Pause(String event) -> Outcome.publish(event, supervisor);
                case ChainLink.End(String event) -> Outcome.publish(event, supervisor);
            };
        }

        private static String json(TrainingEvent event, Instant now) {
            return new String(EventJson.write(event, now), StandardCharsets.UTF_8);
        }

        private void tell(TrainingEvent event) {
            supervisor.tell(event, process.now());
        }
    }
}
