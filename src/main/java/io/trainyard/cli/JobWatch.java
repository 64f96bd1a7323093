package io.trainyard.cli;

import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.SimilarNames;
import io.trainyard.topics.Topic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Shows jobs of a fleet until each has ended.
public final class JobWatch {
    private static final int MAX_SIMILAR = 5;
    private static final int MAX_TEXT = 500;

    private final Terminal terminal;
    private final List<String> jobs;
    private final Submitted submitted;
    private final String farewell;
    private final ProgressView view;
    private final JobBook book;
    private final Set<String> toldRejected = new HashSet<>();
    private final Map<String, Integer> oldFailures = new HashMap<>();
    private boolean running = true;

    /// What this process has submitted itself.
    ///
    /// @param jobs by id. A job that ran under the same id with another spec is not mistaken for it
    /// @param before where the topics ended before: an attempt that had failed by then is not the one asked for
    record Submitted(Map<String, JobSpec> jobs, EventLog.Position before) {
        private static final Submitted NOTHING = new Submitted(Map.of(), EventLog.Position.BEGINNING);

        Submitted(List<JobSpec> jobs, EventLog.Position before) {
            this(jobs.stream().collect(Collectors.toMap(JobSpec::id, Function.identity())), before);
        }
    }

    private JobWatch(Terminal terminal, List<String> jobs, Submitted submitted, String farewell) {
        this.terminal = terminal;
        this.farewell = farewell;
        this.jobs = jobs;
        this.submitted = submitted;
        view = ProgressView.on(terminal, jobs.size());
        book = new JobBook(Set.copyOf(jobs)::contains, this::show, terminal.err()::println);
    }

    /// Shows the jobs from their beginning on, and returns when the last has ended.
    ///
    /// @param jobs ids
    /// @return 0 if all finished; 1 if one failed, was rejected, or is not known
    public static int run(KafkaOptions kafka, Terminal terminal, List<String> jobs) {
        return run(kafka, terminal, jobs, Submitted.NOTHING);
    }

    /// As the other `run`, for jobs that this process has submitted itself.
    static int run(KafkaOptions kafka, Terminal terminal, List<String> jobs, Submitted submitted) {
        String goOn = "stopped watching; the jobs go on: ./trainyard watch " + String.join(" ", jobs);
        return run(kafka, terminal, jobs, submitted, goOn);
    }

    /// As the other `run`.
    ///
    /// @param farewell what ctrl-C leaves on the terminal
    static int run(KafkaOptions kafka, Terminal terminal, List<String> jobs, Submitted submitted, String farewell) {
        List<String> distinct = jobs.stream().distinct().toList();
        JobWatch watch = new JobWatch(terminal, distinct, submitted, farewell);
        Thread hook = new Thread(watch::sayFarewell, "farewell");
        Runtime.getRuntime().addShutdownHook(hook);
        try (EventLog log = EventLog.open(kafka, topics())) {
            return watch.read(log);
        } finally {
            watch.close();
            removeHook(hook);
        }
    }

    /// Where the topics end now; see [Submitted].
    static EventLog.Position now(KafkaOptions kafka) {
        return EventLog.end(kafka, topics());
    }

    private static List<Topic> topics() {
        List<Topic> topics = new ArrayList<>(EventLog.EVENTS);
        topics.addAll(Topic.COMMANDS);
        topics.add(Topic.DEAD_LETTER);
        return topics;
    }

    private int read(EventLog log) {
        log.readTo(submitted.before(), book::take);
        jobs.forEach(this::rememberFailure);
        log.readToEnd(book::take);
        List<String> unknown = jobs.stream()
                .filter(job -> !submitted.jobs().containsKey(job) && book.find(job) == null)
                .toList();
        if (!unknown.isEmpty()) {
            close();
            unknown.forEach(this::sayUnknown);
            return ExitCodes.FAILED;
        }
        jobs.stream()
                .filter(job -> !isOver(job) && (stateOf(job) == JobState.Status.WAITING || failedBefore(job)))
                .forEach(view::waiting);
        log.follow(book::take, this::goesOn);
        log.readToEnd(book::take); // a job's end may overtake its last losses
        close();
        jobs.forEach(this::sayHowItEnded);
        return jobs.stream().allMatch(this::isFinished) ? ExitCodes.OK : ExitCodes.FAILED;
    }

    private void show(TrainingEvent event, JobState after) {
        view.show(event, after);
    }

    private boolean goesOn() {
        for (String job : jobs) {
            JobBook.Page page = book.find(job);
            String rejection = page == null ? null : page.rejection();
            if (page != null && rejection != null && page.isRejected() && toldRejected.add(job)) {
                view.rejected(job, rejection);
            }
        }
        return jobs.stream().anyMatch(job -> !isOver(job));
    }

    private JobState.@Nullable Status stateOf(String job) {
        JobBook.Page page = book.find(job);
        return page == null ? JobState.Status.WAITING : page.state().status();
    }

    private boolean isOver(String job) {
        JobBook.Page page = book.find(job);
        if (page == null) {
            return false;
        }
        boolean comesAgain = failedBefore(job) && page.rejection() == null;
        return (page.isOver() && !comesAgain) || ranAsAnother(job, page);
    }

    private void rememberFailure(String job) {
        JobBook.Page page = book.find(job);
        if (page != null && page.state().status() == JobState.Status.FAILED) {
            oldFailures.put(job, page.state().attempt());
        }
    }

    /// Whether its newest attempt had failed before it was submitted here.
    private boolean failedBefore(String job) {
        JobBook.Page page = book.find(job);
        return page != null && oldFailures.getOrDefault(job, -1) == page.state().attempt();
    }

    private boolean isFinished(String job) {
        JobBook.Page page = book.find(job);
        return page != null && page.state().status() == JobState.Status.FINISHED && !ranAsAnother(job, page);
    }

    /// Whether the events under this id are those of a job with another spec than was submitted here.
    private boolean ranAsAnother(String job, JobBook.Page page) {
        JobSpec ours = submitted.jobs().get(job);
        JobSpec theirs = page.state().spec();
        return ours != null && theirs != null && !ours.equals(theirs);
    }

    private void sayHowItEnded(String job) {
        JobBook.Page page = book.find(job);
        if (page == null) {
            return;
        }
        String rejection = page.rejection();
        if (ranAsAnother(job, page)) {
            say("job %s: another job has this id and has already run; give the new one another id", job);
        } else if (page.isRejected()) {
            say("job %s was rejected: %s", job, page.reason());
        } else if (page.state().status() == JobState.Status.FAILED && !failedBefore(job)) {
            say("job %s failed: %s", job, page.reason());
        } else if (rejection != null) {
            say("job %s has ended; a later command with its id was rejected: %s", job, rejection);
        }
    }

    private void sayUnknown(String job) {
        List<String> similar =
                SimilarNames.of(job, book.names()).stream().limit(MAX_SIMILAR).toList();
        say(
                "there is no job %s: nothing was submitted under that id%s; ./trainyard jobs lists all",
                job, similar.isEmpty() ? "" : ", but there is " + String.join(", ", similar));
    }

    private void say(String format, @Nullable Object... values) {
        terminal.err().println(Terminal.printable(format.formatted(values), MAX_TEXT));
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
