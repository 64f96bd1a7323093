package io.trainyard.cli.watch;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.ProgressView;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.JobBook;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Shows jobs of a fleet until each has ended.
public final class JobWatch {
    private static final int MAX_SIMILAR = 5;
    private static final int MAX_TEXT = 500;

    /// The most names of other jobs that are remembered.
    private static final int MAX_NAMES = 10_000;

    private final Terminal terminal;
    private final Set<String> jobs;
    private final Map<String, JobSpec> submitted;
    private final String farewell;
    private final ProgressView view;
    private final NewsReader reader;
    private final JobBook book;
    private final Set<String> names = new LinkedHashSet<>();
    private final Set<String> toldRejected = new HashSet<>();
    private boolean running = true;

    private JobWatch(Terminal terminal, Set<String> jobs, Map<String, JobSpec> submitted, String farewell) {
        this.terminal = terminal;
        this.farewell = farewell;
        this.jobs = jobs;
        this.submitted = submitted;
        view = ProgressView.on(terminal, jobs.size());
        reader = new NewsReader(terminal.err()::println);
        book = new JobBook(jobs.size(), _ -> {});
    }

    /// Shows the jobs from their beginning on, and returns when the last has ended.
    ///
    /// @param jobs ids
    /// @param submitted what was asked for, by id; for jobs that this process has submitted itself. A job that ran
    ///     under the same id with another spec is not mistaken for it
    /// @return true if all finished; false if one failed, was rejected, or is not known
    public static boolean run(Cluster kafka, Terminal terminal, List<String> jobs, Map<String, JobSpec> submitted) {
        String goOn = "stopped watching; the jobs go on: ./trainyard watch " + String.join(" ", jobs);
        return run(kafka, terminal, jobs, submitted, goOn);
    }

    /// As the other `run`.
    ///
    /// @param farewell what ctrl-C leaves on the terminal
    public static boolean run(
            Cluster kafka, Terminal terminal, List<String> jobs, Map<String, JobSpec> submitted, String farewell) {
        JobWatch watch = new JobWatch(terminal, new LinkedHashSet<>(jobs), Map.copyOf(submitted), farewell);
        Thread hook = new Thread(watch::sayFarewell, "farewell");
        Runtime.getRuntime().addShutdownHook(hook);
        try (EventLog log = EventLog.open(kafka, Topic.NEWS)) {
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
        jobs.stream()
                .filter(job -> statusOf(job) == JobState.Status.WAITING && !isOver(job))
                .forEach(view::waiting);
        log.follow(this::take, this::goesOn);
        log.readToEnd(this::take); // a job's end may overtake its last losses
        close();
        jobs.forEach(this::sayHowItEnded);
        return jobs.stream().allMatch(this::isFinished);
    }

    private void take(TopicRecord entry) {
        String key = entry.key();
        if (entry.topic().content() == Topic.Content.EVENTS && key != null && !jobs.contains(key)) {
            remember(key); // most of what a fleet says is about other jobs
        } else {
            reader.read(entry).ifPresent(this::take);
        }
    }

    private void take(JobNews news) {
        remember(news.job());
        JobState after = jobs.contains(news.job()) ? book.take(news) : null;
        if (after != null && news instanceof Happened(TrainingEvent event, long _)) {
            view.show(event, after);
        }
    }

    /// For a person who has mistyped the name of another job.
    private void remember(String job) {
        if (names.size() < MAX_NAMES && JobNews.isId(job)) {
            names.add(job);
        }
    }

    private boolean goesOn() {
        for (String job : jobs) {
            JobState state = book.find(job);
            if (state != null && state.status() == JobState.Status.REJECTED && toldRejected.add(job)) {
                view.rejected(state);
            }
        }
        return jobs.stream().anyMatch(job -> !isOver(job));
    }

    private JobState.Status statusOf(String job) {
        JobState state = book.find(job);
        return state == null ? JobState.Status.WAITING : state.status();
    }

    private boolean isOver(String job) {
        JobState state = book.find(job);
        return state != null && (state.status().isFinal() || ranAsAnother(state));
    }

    private boolean isFinished(String job) {
        JobState state = book.find(job);
        return state != null && state.status() == JobState.Status.FINISHED && !ranAsAnother(state);
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
        } else if (rejection != null) {
            say("job %s has ended; a later command with its id was rejected: %s", job, rejection);
        }
    }

    private void sayUnknown(String job) {
        List<String> similar = names.stream()
                .filter(name -> distance(name, job) <= Math.max(2, job.length() / 3) || name.contains(job))
                .sorted(Comparator.comparingInt((String name) -> distance(name, job))
                        .thenComparing(name -> name))
                .limit(MAX_SIMILAR)
                .toList();
        say(
                "there is no job %s: nothing was submitted under that id%s; ./trainyard jobs lists all",
                job, similar.isEmpty() ? "" : ", but there is " + String.join(", ", similar));
    }

    private void say(String format, @Nullable Object... values) {
        terminal.err().println(Terminal.printable(format.formatted(values), MAX_TEXT));
    }

    /// Edits between two names: Levenshtein's distance.
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
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
