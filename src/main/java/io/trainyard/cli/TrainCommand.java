package io.trainyard.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.cli.terminal.JobProgress;
import io.trainyard.device.Devices;
import io.trainyard.event.EventJson;
import io.trainyard.event.RunLog;
import io.trainyard.event.TrainingEvent;
import io.trainyard.jobfile.JobFiles;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobKind;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import io.trainyard.sweep.Trials;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `train`: trains without Kafka.
@Command(
        name = "train",
        description = "Trains jobs in this process, one after another, without Kafka.",
        exitCodeList = {
            ExitCodes.JOBS_OK_HELP,
            ExitCodes.FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.INTERRUPTED_HELP
        },
        footer = {
            "  ./trainyard train job.json --data ~/data --json > events.jsonl",
            "  echo '{network: lenet, dataset: shapes32, epochs: 2}' | ./trainyard train -"
        })
public final class TrainCommand extends PlainCommand {
    /// How long ctrl-C waits for the current step and its checkpoint.
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

    private static final String WORKER = "local";

    /// Set by ctrl-C; checked at every step boundary.
    private volatile boolean stopRequested;

    /// The folder of the last job that finished.
    private @Nullable String result;

    @Parameters(paramLabel = "FILE", description = "JSON or YAML with one or several jobs; -: standard input.")
    private String file = JobFiles.STANDARD_INPUT;

    @Mixin
    private TrainingOptions options = new TrainingOptions();

    @Option(names = "--json", description = "Print events as JSON, one per line, as on the topic.")
    private boolean json;

    @Option(names = "--resume", description = "Continue from the newest checkpoint of the job's newest run.")
    private boolean resume;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            description = "With --resume: go on up to this number of epochs, as a new run.")
    private @Nullable Integer epochs;

    @Option(
            names = "--tracking",
            paramLabel = "DIR",
            description = "Folder for dashboard --local (default: the checkpoint folder; for a bucket: runs).")
    private @Nullable Path tracking;

    @Option(names = "--no-tracking", description = "Write nothing for dashboard --local.")
    private boolean untracked;

    /// Receives the first problem of tracking.
    private Consumer<String> trackingProblem = problem -> terminal.err().println(problem);

    @Override
    public Integer call() {
        if (tracking != null && untracked) {
            throw wrong("--tracking and --no-tracking exclude each other");
        }
        if (epochs != null && !resume) {
            throw wrong("--epochs is for --resume; otherwise, set epochs in the file");
        }
        List<JobSpec> jobs = JobFiles.read(List.of(file), terminal.in()).stream()
                .flatMap(job -> Trials.of(job).stream())
                .toList();
        var _ = Devices.open(options.device()); // reports a missing device before any data is read
        options.choice(jobs).ifPresent(terminal.err()::println);
        CheckpointStore store = CheckpointStore.open(options.checkpoints());
        if (isNewRun()) {
            jobs.forEach(
                    job -> sayWhatIsThere(JobFolder.ofLastRun(store, job.id()), JobFolder.ofNewRun(store, job.id())));
        }
        CountDownLatch ended = new CountDownLatch(1);
        Thread interrupted = new Thread(() -> stopAndWait(ended), "interrupted");
        Runtime.getRuntime().addShutdownHook(interrupted);
        try {
            int status = json ? run(jobs, store, this::print, this::say) : runWithProgress(jobs, store);
            sayUse();
            return status;
        } finally {
            ended.countDown();
        }
    }

    private boolean isNewRun() {
        return !resume || epochs != null;
    }

    /// The job that goes on where its last run ended.
    private JobSpec withMoreEpochs(JobSpec job, CheckpointStore store) {
        ObjectNode json = JobJson.command(job).json();
        String last = JobFolder.ofLastRun(store, job.id()).name();
        json.remove(List.of("initFrom", "except"));
        return JobJson.read(json.put("epochs", epochs).put("continueFrom", last.contains("~") ? last : last + "~1"));
    }

    /// Stops the current job at its next step boundary, with a checkpoint, and starts no other.
    void stop() {
        stopRequested = true;
    }

    /// Runs in a shutdown hook: the process ends when this returns.
    private void stopAndWait(CountDownLatch ended) {
        stop();
        try {
            if (!ended.await(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                terminal.err().println("the step under way did not end in time; its work is lost");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private int runWithProgress(List<JobSpec> jobs, CheckpointStore store) {
        List<String> lastWords = new ArrayList<>();
        try (JobProgress progress = new JobProgress(terminal, jobs.size())) {
            trackingProblem = progress.isDrawn() ? lastWords::add : trackingProblem;
            return progress.isDrawn()
                    ? run(jobs, store, (event, _) -> progress.accept(event), (job, outcome) -> {
                        if (outcome instanceof Outcome.Rejected(String reason)) {
                            progress.rejected(job.id(), reason);
                        }
                        if (isInterrupted(outcome) || !progress.isWhole(job.id())) {
                            words(job, outcome).ifPresent(lastWords::add);
                        }
                    })
                    : run(jobs, store, (event, _) -> showBeforeEnd(event, progress), this::say);
        } finally {
            lastWords.forEach(terminal.err()::println); // no progress bar overwrites them any more
        }
    }

    /// A failure or an unexpected requeue is reported once, after the progress, on standard error.
    private void showBeforeEnd(TrainingEvent event, JobProgress progress) {
        boolean isSaidAtTheEnd =
                event instanceof TrainingEvent.Failed || (event instanceof TrainingEvent.Released && !stopRequested);
        if (!isSaidAtTheEnd) {
            progress.accept(event);
        }
    }

    /// The other jobs run even if one fails or is invalid.
    private int run(
            List<JobSpec> jobs,
            CheckpointStore store,
            BiConsumer<TrainingEvent, Instant> events,
            BiConsumer<JobSpec, Outcome> ended) {
        JobTraining training = new JobTraining(options.data(), options.device(), options.threads(), WORKER);
        int status = ExitCodes.OK;
        for (JobSpec job : jobs) {
            JobSpec asked = epochs == null ? job : withMoreEpochs(job, store);
            JobFolder folder = isNewRun() ? JobFolder.ofNewRun(store, job.id()) : JobFolder.ofLastRun(store, job.id());
            Outcome outcome = track(asked, folder, events, all -> training.runToEnd(asked, folder, supervisor(all)));
            ended.accept(job, outcome);
            if (isInterrupted(outcome)) {
                return ExitCodes.INTERRUPTED;
            }
            if (outcome instanceof Outcome.DeviceLost) { // the other jobs could not open it either
                return ExitCodes.FAILED;
            }
            if (!(outcome instanceof Outcome.Finished)) {
                status = ExitCodes.FAILED;
            } else if (job.kind() == JobKind.TRAIN) {
                result = folder.name();
            }
        }
        return status;
    }

    /// Also writes the events of a run for `dashboard --local`.
    private Outcome track(
            JobSpec job,
            JobFolder folder,
            BiConsumer<TrainingEvent, Instant> events,
            Function<BiConsumer<TrainingEvent, Instant>, Outcome> run) {
        if (untracked) {
            return run.apply(events);
        }
        Path root = tracking == null ? TrainingOptions.runs(options.checkpoints()) : tracking;
        Path place = isNewRun() ? RunLog.unused(root, folder.name(), job.id()) : root.resolve(folder.name());
        try (RunLog log = new RunLog(place, job, this::sayOnce)) {
            return run.apply(events.andThen(log::write));
        }
    }

    private void sayOnce(String problem) {
        trackingProblem.accept(problem);
        trackingProblem = _ -> {}; // the same for the other jobs
    }

    private void sayWhatIsThere(JobFolder last, JobFolder folder) {
        if (folder.name().equals(last.name())) {
            return;
        }
        Optional<String> end = last.end();
        long step = last.checkpoints().lastStep();
        terminal.err()
                .printf(
                        "%s is there already: it %s%s. This run is stored as %s%s%n",
                        last.name(),
                        end.orElse("has not ended"),
                        step == 0 ? "" : ", with a checkpoint after step " + step,
                        folder.name(),
                        end.isPresent() ? "" : "; train --resume continues the other one");
    }

    /// Prints the command that uses the last result, as the last line.
    private void sayUse() {
        if (result != null) {
            terminal.err().printf("./trainyard predict %s%s%n", result, options.places());
        }
    }

    private Supervisor supervisor(BiConsumer<TrainingEvent, Instant> events) {
        return new Supervisor() {
            @Override
            public void publish(TrainingEvent event, Instant time) {
                events.accept(event, time);
            }

            @Override
            public Optional<Halt> halt() {
                return stopRequested ? Optional.of(Halt.DRAIN) : Optional.empty();
            }
        };
    }

    private static boolean isInterrupted(Outcome outcome) {
        return outcome instanceof Outcome.Released || outcome instanceof Outcome.Paused;
    }

    private void say(JobSpec job, Outcome outcome) {
        words(job, outcome).ifPresent(terminal.err()::println);
    }

    /// The message for a job that has not finished.
    private static Optional<String> words(JobSpec job, Outcome outcome) {
        return switch (outcome) {
            case Outcome.Finished _, Outcome.Expanded _ -> Optional.empty();
            case Outcome.Failed(TrainingEvent.Failed event) -> Optional.of(words(job, "failed: " + event.reason()));
            case Outcome.Rejected(String reason) -> Optional.of(words(job, "was rejected: " + reason));
            case Outcome.Cancelled _ -> Optional.of(words(job, "was cancelled"));
            case Outcome.Released _, Outcome.Paused _ ->
                Optional.of(words(job, "was interrupted; --resume continues from its checkpoint"));
            case Outcome.DeviceBusy(TrainingEvent.Released event) ->
                Optional.of(words(job, "has no room here: " + event.reason()));
            case Outcome.WorkerFault(TrainingEvent.Released event, boolean _) ->
                Optional.of(words(job, "cannot be run here: " + event.reason()));
            case Outcome.DeviceLost(TrainingEvent.Released event) ->
                Optional.of(
                        words(job, "has lost its device; --resume continues from its checkpoint: " + event.reason()));
            case Outcome.Superseded _ ->
                Optional.of(words(job, "was taken over by another process, which continues it"));
        };
    }

    private static String words(JobSpec job, String what) {
        return "job " + job.id() + " " + Printable.text(what, 1000);
    }

    private void print(TrainingEvent event, Instant time) {
        PrintStream out = terminal.out();
        out.writeBytes(EventJson.write(event, time));
        out.write('\n');
        out.flush();
    }
}
