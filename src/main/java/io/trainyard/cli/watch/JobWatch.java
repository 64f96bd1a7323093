package io.trainyard.cli.watch;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.ProgressView;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobStates;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Printable;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

public final class JobWatch {
    private static final int MAX_TEXT = 500;

    private final Terminal terminal;
    private final Set<String> jobs;
    private final Map<String, JobSpec> submitted; // by id
    private final String farewell;
    private final ProgressView view;
    private final JobRecordReader reader;
    private final JobStates book;
    private final SeenJobNames others = new SeenJobNames();
    private final Set<String> publishedRejection = new HashSet<>();
    private boolean running = true;

    private JobWatch(
            Terminal terminal, Set<String> jobs, Map<String, JobSpec> submitted, ProgressView view, String farewell) {
        this.terminal = terminal;
        this.farewell = farewell;
        this.jobs = jobs;
        this.submitted = submitted;
        this.view = view;
        reader = new JobRecordReader(terminal.err()::println);
        book = new JobStates(jobs.size(), _ -> {});
    }

    /// What ctrl-C leaves on the terminal where the jobs go on.
    public static String goOn(List<String> jobs) {
        return "stopped watching; the jobs go on: ./trainyard watch " + String.join(" ", jobs);
    }

    /// Shows jobs from their beginning on, and returns when the last has ended.
    ///
    /// @param jobs ids
    /// @param submitted jobs of this process; one that ran under the same id with another spec is not one of them
    /// @param json whether their events are printed, for programs
    /// @param farewell what ctrl-C leaves on the terminal
    /// @return true if all finished; false if one failed, was rejected, or is not known
    public static boolean run(
            Cluster kafka,
            Terminal terminal,
            List<String> jobs,
            List<JobSpec> submitted,
            boolean json,
            String farewell) {
        Map<String, JobSpec> specs = submitted.stream().collect(Collectors.toMap(JobSpec::id, Function.identity()));
        ProgressView view = json ? ProgressView.json(terminal) : ProgressView.on(terminal, jobs.size());
        JobWatch watch = new JobWatch(terminal, new LinkedHashSet<>(jobs), specs, view, farewell);
        Thread hook = new Thread(watch::sayFarewell, "farewell");
        Runtime.getRuntime().addShutdownHook(hook);
        try (EventLog log = EventLog.open(kafka, Topic.JOB_TOPICS)) {
            return watch.read(log);
        } finally {
            watch.close();
            removeHook(hook);
        }
    }

    private boolean read(EventLog log) {
        log.readToEnd(this::take);
        List<String> unknown = jobs.stream()
                .filter(job -> !submitted.containsKey(job) && book.find(job) == null)
                .toList();
        if (!unknown.isEmpty()) {
            close();
            unknown.forEach(this::sayUnknown);
            return false;
        }
        List<String> before = submitted.keySet().stream()
                .filter(job -> statusOf(job).isFinal() && statusOf(job) != JobState.Status.REJECTED)
                .toList();
        jobs.stream()
                .filter(job -> !isOver(job) && statusOf(job) == JobState.Status.QUEUED)
                .forEach(view::waiting);
        log.follow(this::take, this::goesOn);
        log.readToEnd(this::take); // a job's end may overtake its last losses
        close();
        before.forEach(job -> say(
                "job %s was there already, %s, and was not trained again; give the new one another id",
                job, statusOf(job).word()));
        jobs.forEach(this::sayHowItEnded);
        return jobs.stream().allMatch(this::isFinished);
    }

    private void take(TopicRecord entry) {
        String job = entry.job();
        if (entry.topic().content() == Topic.Content.EVENTS && job != null && !jobs.contains(job)) {
            others.add(job); // most records are about other jobs
        } else {
            reader.read(entry).ifPresent(this::take);
        }
    }

    private void take(JobRecord jobRecord) {
        others.add(jobRecord.job());
        JobState after = jobs.contains(jobRecord.job()) ? book.take(jobRecord) : null;
        if (after != null && jobRecord instanceof EventRecord happened && after.accepts(happened)) {
            view.show(happened, after);
        }
    }

    private boolean goesOn() {
        for (String job : jobs) {
            JobState state = book.find(job);
            if (state != null && state.status() == JobState.Status.REJECTED && publishedRejection.add(job)) {
                view.rejected(state);
            }
        }
        return jobs.stream().anyMatch(job -> !isOver(job));
    }

    private JobState.Status statusOf(String job) {
        JobState state = book.find(job);
        return state == null ? JobState.Status.QUEUED : state.status();
    }

    private boolean isOver(String job) {
        JobState state = book.find(job);
        return state != null && (state.status().isFinal() || ranAsAnother(state));
    }

    private boolean isFinished(String job) {
        JobState state = book.find(job);
        return state != null
                && (state.status() == JobState.Status.FINISHED || state.status() == JobState.Status.EXPANDED)
                && !ranAsAnother(state);
    }

    /// Whether the events under this id are those of a job with another spec than was submitted here.
    private boolean ranAsAnother(JobState state) {
        JobSpec ours = submitted.get(state.job());
        JobSpec theirs = state.startedSpec();
        return ours != null && theirs != null && !ours.equals(theirs);
    }

    private void sayHowItEnded(String job) {
        JobState state = book.find(job);
        if (state == null) {
            return;
        }
        String rejection = state.rejection();
        if (ranAsAnother(state)) {
            say("job %s: another job has this id and has already run; give the new one another id", job);
        } else if (state.status() == JobState.Status.REJECTED) {
            say("job %s was rejected: %s", job, state.reason());
        } else if (state.status() == JobState.Status.FAILED) {
            say("job %s failed: %s", job, state.reason());
        } else if (state.status() == JobState.Status.CANCELLED) {
            say("job %s was cancelled at step %d", job, state.step());
        } else if (rejection != null) {
            say("job %s has ended; a later command with its id was rejected: %s", job, rejection);
        }
    }

    private void sayUnknown(String job) {
        List<String> similar = others.similarTo(job);
        say(
                "there is no job %s: nothing was submitted under that id%s; ./trainyard jobs lists all",
                job, similar.isEmpty() ? "" : ", but there is " + String.join(", ", similar));
    }

    private void say(String format, @Nullable Object... values) {
        terminal.err().println(Printable.text(format.formatted(values), MAX_TEXT));
    }

    /// What ctrl-C leaves behind: the shell's line is free, and the person knows that the work is not lost.
    private void sayFarewell() {
        close();
        say("%s", farewell);
    }

    private synchronized void close() {
        if (running) {
            running = false;
            view.close();
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) { // the process is ending, and the hook runs already
        }
    }
}
