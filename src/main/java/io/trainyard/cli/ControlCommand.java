package io.trainyard.cli;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.spec.Printable;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandSender;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Base of the commands that control jobs. They read the state of the jobs, publish control requests and wait
/// for the effect. A request without an effect in time stays valid.
@Command(
        exitCodeList = {
            ExitCodes.CONTROL_OK_HELP,
            ExitCodes.CONTROL_FAILED_HELP,
            ExitCodes.BAD_INPUT_HELP,
            ExitCodes.KAFKA_HELP,
            ExitCodes.INTERRUPTED_HELP
        })
abstract class ControlCommand extends FleetCommand {
    private static final int MAX_TIMEOUT_SECONDS = 86_400;
    private static final int MAX_TEXT = 500;

    @Option(
            names = "--timeout",
            paramLabel = "SEC",
            defaultValue = "30",
            description = "Seconds to wait for the effect (default: ${DEFAULT-VALUE}); the request remains stored.")
    private int timeoutSeconds;

    @Option(names = "--json", description = "Print a JSON object per job, one per line.")
    private boolean json;

    /// The result for one job.
    ///
    /// @param done whether the command can stop waiting for the job
    /// @param ok whether the job is or will be in the requested state
    record Answer(boolean done, boolean ok, String sentence) {
        static Optional<Answer> asRequested(String sentence) {
            return Optional.of(new Answer(true, true, sentence));
        }
    }

    abstract NamedJobs jobs();

    /// The result if no request is needed or possible; empty if a request must be published.
    abstract Optional<Answer> before(JobState job, ControlledJobs jobs);

    /// The new desired state, given the current one.
    abstract DesiredState desiredState(DesiredState kept);

    /// Whether the job continues where its `asha` would pause it.
    boolean runsOn(JobState job) {
        return false;
    }

    @Nullable
    RequestedPriority requestedPriority(@Nullable RequestedPriority kept) {
        return kept;
    }

    /// The result after the request is published; empty before it takes effect.
    abstract Optional<Answer> after(JobState job, ControlledJobs jobs);

    @Override
    public Integer call() {
        if (timeoutSeconds < 0 || timeoutSeconds > MAX_TIMEOUT_SECONDS) {
            throw wrong("--timeout is %d; allowed is 0 to %d seconds".formatted(timeoutSeconds, MAX_TIMEOUT_SECONDS));
        }
        Set<String> names = jobs().read(kafka.cluster(), command);
        if (names.isEmpty()) {
            terminal.err().println(jobs().noneLeft());
            return ExitCodes.FAILED;
        }
        try (EventLog log = EventLog.open(kafka.cluster(), ControlledJobs.TOPICS)) {
            ControlledJobs jobs = new ControlledJobs(names, terminal.err()::println);
            log.readToEnd(jobs::take);
            Map<String, Answer> answers = new LinkedHashMap<>();
            for (String unknown : jobs.unknown()) {
                answers.put(unknown, new Answer(true, false, jobs.sayUnknown(unknown)));
            }
            if (answers.isEmpty()) {
                answer(log, jobs, answers);
            }
            for (var answer : answers.entrySet()) {
                print(answer.getKey(), answer.getValue(), jobs);
            }
            terminal.out().flush();
            return answers.values().stream().allMatch(Answer::ok) ? ExitCodes.OK : ExitCodes.FAILED;
        }
    }

    private void answer(EventLog log, ControlledJobs jobs, Map<String, Answer> answers) {
        for (JobState job : jobs.states()) {
            before(job, jobs).ifPresent(answer -> answers.put(job.job(), answer));
        }
        List<Control> controls = jobs.states().stream()
                .map(JobState::job)
                .filter(job -> !answers.containsKey(job))
                .map(job -> control(job, jobs))
                .toList();
        if (controls.isEmpty()) {
            return;
        }
        publish(controls, jobs);
        long endNanos = System.nanoTime() + Duration.ofSeconds(timeoutSeconds).toNanos();
        log.follow(jobs::take, () -> !answered(jobs, answers) && System.nanoTime() < endNanos);
        controls.forEach(
                control -> answers.putIfAbsent(
                        control.job(),
                        new Answer(
                                false,
                                true,
                                "does not show it yet: the request is stored and will be applied; ./trainyard jobs shows when")));
    }

    private Control control(String job, ControlledJobs jobs) {
        RequestedPriority kept = jobs.kept(job).map(Control::priority).orElse(null);
        boolean runsOn = jobs.kept(job).map(Control::skipsRungs).orElse(false)
                || jobs.state(job).map(this::runsOn).orElse(false);
        return new Control(
                job,
                desiredState(jobs.desiredState(job)),
                requestedPriority(kept),
                Instant.now(),
                runsOn ? true : null);
    }

    /// Publishes requests in order.
    void publish(List<Control> controls, ControlledJobs jobs) {
        new CommandSender(kafka.cluster(), CloudEvents.CLI).control(controls);
    }

    private boolean answered(ControlledJobs jobs, Map<String, Answer> answers) {
        for (JobState job : jobs.states()) {
            if (!answers.containsKey(job.job())) {
                after(job, jobs).ifPresent(answer -> answers.put(job.job(), answer));
            }
        }
        return answers.size() == jobs.states().size();
    }

    /// The result for a job that has ended and cannot be controlled any more.
    static Optional<Answer> ended(JobState job, String whatFor) {
        return job.status().isFinal()
                ? Optional.of(
                        new Answer(true, false, "%s already; nothing to %s".formatted(words(job.status()), whatFor)))
                : Optional.empty();
    }

    /// The status of a job as a predicate.
    static String words(Status status) {
        return switch (status) {
            case QUEUED, RUNNING, PAUSED -> "is " + status.word();
            case FINISHED -> "has finished";
            case FAILED -> "has failed";
            case CANCELLED -> "was cancelled";
            case REJECTED -> "was rejected";
            case EXPANDED -> "is a sweep, whose trials are jobs now";
        };
    }

    private void print(String job, Answer answer, ControlledJobs jobs) {
        if (json) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("job", job);
            jobs.state(job).ifPresent(state -> fields.put("state", state.status()));
            fields.put("done", answer.done());
            fields.put("ok", answer.ok());
            fields.put("answer", answer.sentence());
            terminal.printJson(fields);
        } else {
            (answer.ok() ? terminal.out() : terminal.err())
                    .println(Printable.text("job " + job + " " + answer.sentence(), MAX_TEXT));
        }
    }
}
