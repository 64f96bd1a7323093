package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DatasetException;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import io.trainyard.training.SimulatedTraining;
import io.trainyard.training.Supervisor;
import io.trainyard.training.Supervisor.Halt;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Trains jobs in a simulated world: real attempts with step times that the seed decides. Jobs with odd numbers
/// retain only their last checkpoint.
///
/// The first letters of a job's id decide how it ends, see [Kind].
final class SimTraining implements JobRunner {
    private static final int STEPS_PER_EPOCH = 10;
    private static final int SAVE_EVERY = 4;
    private static final int FAILS_AT = 7;
    private static final int JOBS_OF_A_PROJECT = 100_000;

    /// Time beyond the longest step after which a step counts as hung.
    private static final Duration HANGS = Duration.ofMinutes(1);

    enum Kind {
        JOB(20, Duration.ofSeconds(2)),

        /// Fails half way.
        SICK(20, Duration.ofSeconds(2)),

        /// Needs something that some workers do not have.
        PICKY(20, Duration.ofSeconds(2)),

        /// Hangs at a random step now and then.
        STUCK(20, Duration.ofSeconds(2)),

        /// Trains for hours.
        LONG(200, Duration.ofMinutes(2)),

        /// Uses a newer schema version than older workers know.
        NEWER(20, Duration.ofSeconds(2)),

        /// Takes about five minutes.
        MINUTES(200, Duration.ofSeconds(3)),

        /// A trial of a sweep: four epochs, unless it is paused at a rung.
        HALVING(40, Duration.ofSeconds(2)),

        /// Like `MINUTES`, but it cannot be preempted.
        FIRM(200, Duration.ofSeconds(3)),

        /// Ends at once.
        TINY(2, Duration.ofSeconds(2));

        final int steps;
        final Duration step; // the longest time of a step

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

    /// Mistakes in the way a worker trains.
    enum Habit {
        /// An attempt that resumes does not republish the events in its checkpoint.
        RESUMES_WITHOUT_REPUBLISHING,
        /// Checkpoints contain no events.
        CHECKPOINTS_WITHOUT_EVENTS,
        /// The end is published before it is stored.
        PUBLISHES_BEFORE_STORING,
        /// A missing capability of the worker counts as a failure of the job.
        REFUSAL_FAILS,
        /// A preempted job is released without a checkpoint.
        PREEMPTED_WITHOUT_CHECKPOINT,
        /// A stopping worker releases only one of its jobs.
        RELEASES_ONE_ONLY,
        /// No step has a time limit.
        NO_MONITOR,
        /// A trial that continued past a rung does not check again.
        ASKS_ONCE
    }

    private static final Map<String, JobSpec> SPECS = new HashMap<>();
    private static final Map<String, String> COMMANDS = new HashMap<>();

    private final SimProcess process;
    private final CheckpointStore store;
    private final boolean lacking;
    private final Set<Habit> habits;
    private final SimulatedTraining training;
    private boolean isDeviceSick;
    private boolean oneStops;

    /// @param lacking whether this worker cannot run picky jobs
    SimTraining(SimProcess process, CheckpointStore store, boolean lacking, Set<Habit> habits) {
        this.process = process;
        this.store = store;
        this.lacking = lacking;
        this.habits = habits;
        this.training = new SimulatedTraining(process::start, process::nanoTime, process::now, process.name());
    }

    /// From some step on the device of this worker produces non-finite numbers.
    SimTraining sick(boolean sick) {
        isDeviceSick = sick;
        return this;
    }

    /// The job with that id.
    static JobSpec spec(String job) {
        return SPECS.computeIfAbsent(job, id -> switch (Kind.of(id)) {
            case NEWER -> SampleEvents.newer(id);
            case FIRM -> SampleEvents.firm(id);
            default -> completed(SampleEvents.spec(id));
        });
    }

    /// High numbers belong to projects: from 100,000 on to `p1`, from 200,000 on to `p2`, and so on.
    private static JobSpec completed(JobSpec job) {
        var json = JobJson.command(job).json();
        if (number(job.id()) % 2 == 1) {
            json.put("keepLast", 1);
        }
        String project = project(job.id());
        return JobJson.read(project.equals(JobSpec.DEFAULT_PROJECT) ? json : json.put("project", project));
    }

    private static int number(String job) {
        return Integer.parseInt(job.substring(job.indexOf('-') + 1));
    }

    /// The number of the i-th job of a project.
    static int number(int project, int i) {
        return project * JOBS_OF_A_PROJECT + i;
    }

    static String project(String job) {
        int project = number(job) / JOBS_OF_A_PROJECT;
        return project == 0 ? JobSpec.DEFAULT_PROJECT : "p" + project;
    }

    static String command(String job) {
        return COMMANDS.computeIfAbsent(
                job, _ -> JobJson.command(spec(job)).json().toString());
    }

    @Override
    public Outcome run(JobSpec job, int attempt, Supervisor supervisor) {
        return training.attempt(
                job, new JobFolder(store, job.id()), attempt, habitual(supervisor), new Steps(job, supervisor));
    }

    private Supervisor habitual(Supervisor real) {
        return !habits.contains(Habit.RESUMES_WITHOUT_REPUBLISHING)
                ? real
                : (Supervisor) Proxy.newProxyInstance(
                        Supervisor.class.getClassLoader(),
                        new Class<?>[] {Supervisor.class},
                        (_, method, values) ->
                                method.getName().equals("republish") ? null : method.invoke(real, values));
    }

    private final class Steps implements SimulatedTraining.Steps {
        private final JobSpec job;
        private final Kind kind;
        private final Supervisor supervisor;

        Steps(JobSpec job, Supervisor supervisor) {
            this.job = job;
            this.kind = Kind.of(job.id());
            this.supervisor = supervisor;
        }

        @Override
        public int count() {
            return kind.steps;
        }

        @Override
        public int perEpoch() {
            return STEPS_PER_EPOCH;
        }

        @Override
        public boolean isDue(long step) {
            return step % SAVE_EVERY == 0;
        }

        @Override
        public void prepare() {
            if (kind == Kind.PICKY && lacking) {
                String reason = "there is no such dataset";
                throw habits.contains(Habit.REFUSAL_FAILS)
                        ? new IllegalStateException(reason)
                        : new DatasetException(reason);
            }
        }

        @Override
        public Optional<Duration> limit() {
            return habits.contains(Habit.NO_MONITOR) ? Optional.empty() : Optional.of(kind.step.plus(HANGS));
        }

        @Override
        public boolean take(long step, int attempt) {
            boolean hangs = kind == Kind.STUCK && step == FAILS_AT + 1 && attempt < 3;
            process.sleep(hangs ? Duration.ofDays(365) : process.upTo(kind.step));
            boolean fails = switch (kind) {
                case SICK -> step == FAILS_AT;
                case HALVING -> job.seed() % 5 == 3 && step == FAILS_AT + STEPS_PER_EPOCH;
                default -> isDeviceSick && step > FAILS_AT;
            };
            return !fails;
        }

        @Override
        public double accuracy() {
            return job.seed() * 37 % 101 / 100.0;
        }

        @Override
        public boolean asksAgain() {
            return !habits.contains(Habit.ASKS_ONCE);
        }

        @Override
        public boolean stops(Halt halt) {
            if (halt == Halt.DRAIN && oneStops && habits.contains(Habit.RELEASES_ONE_ONLY)) {
                process.sleep(Duration.ofDays(365));
            }
            oneStops |= halt == Halt.DRAIN;
            return halt != Halt.PREEMPT || !habits.contains(Habit.PREEMPTED_WITHOUT_CHECKPOINT);
        }

        @Override
        public List<String> pending(List<String> unacknowledged) {
            return habits.contains(Habit.CHECKPOINTS_WITHOUT_EVENTS) ? List.of() : unacknowledged;
        }

        @Override
        public void finishes(TrainingEvent.Finished event) {
            if (habits.contains(Habit.PUBLISHES_BEFORE_STORING)) {
                supervisor.publish(event, process.now());
            }
        }
    }
}
