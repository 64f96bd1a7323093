package io.trainyard.cli.watch;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// All that the topics say about jobs: the fold of commands, events and dead letters.
public final class JobBook {
    /// The most jobs that are kept, the newest; older ones are forgotten.
    static final int MAX_JOBS = 10_000;

    private static final int MAX_WARNINGS = 20;
    private static final int MAX_NAME = 200;

    /// One job.
    public static final class Page {
        private final JobState state;
        private @Nullable JobSpec command;
        private @Nullable String rejection;

        private Page(String job) {
            state = new JobState(job);
        }

        public JobState state() {
            return state;
        }

        /// What was asked for last; null where the command is gone from its topic or cannot be read.
        @Nullable
        JobSpec command() {
            return command;
        }

        /// The job as it runs, or else as it was asked for.
        public @Nullable JobSpec spec() {
            return state.spec() == null ? command : state.spec();
        }

        /// Why the last command under this id was refused; null if it was not.
        @Nullable
        String rejection() {
            return rejection;
        }

        /// True when the command was refused and no other one under this id ever ran.
        boolean isRejected() {
            return rejection != null && state.spec() == null && !state.status().isFinal();
        }

        /// True when nothing more will happen.
        boolean isOver() {
            return isRejected() || state.status().isFinal();
        }

        /// The state in one word, such as `RUNNING`; besides those of [JobState.Status] there is `REJECTED`.
        public String status() {
            return isRejected() ? "REJECTED" : state.status().name();
        }

        /// Why it failed, was given back or was refused.
        public @Nullable String reason() {
            return isRejected() ? rejection : state.reason();
        }
    }

    private final Predicate<String> wanted;
    private final BiConsumer<TrainingEvent, JobState> onEvent;
    private final Consumer<String> warn;
    private final Map<String, Page> pages = new LinkedHashMap<>();
    private final Map<String, Boolean> others = new LinkedHashMap<>();
    private int warnings;

    /// @param wanted the jobs to keep; of the others only the names are kept
    /// @param onEvent called with each event of a wanted job, and the job's state after it
    /// @param warn called with a sentence about each record that cannot be read, up to a bound
    public JobBook(Predicate<String> wanted, BiConsumer<TrainingEvent, JobState> onEvent, Consumer<String> warn) {
        this.wanted = wanted;
        this.onEvent = onEvent;
        this.warn = warn;
    }

    /// Takes in one record.
    public void take(EventLog.Entry entry) {
        if (EventLog.EVENTS.contains(entry.topic())) {
            event(entry);
        } else if (Topic.COMMANDS.contains(entry.topic())) {
            command(entry);
        } else if (entry.topic() == Topic.DEAD_LETTER) {
            deadLetter(entry);
        }
    }

    private void event(EventLog.Entry entry) {
        if (entry.key() != null && !wanted.test(entry.key())) {
            remember(entry.key());
            return;
        }
        try {
            TrainingEvent event = EventJson.readEvent(entry.json());
            Page page = page(event.job());
            if (page != null) {
                page.state.apply(event);
                onEvent.accept(event, page.state);
            }
        } catch (IOException e) {
            unreadable(entry, e);
        }
    }

    /// Whoever wrote the command, it goes by the id in its body, as the workers do.
    private void command(EventLog.Entry entry) {
        try {
            JobSpec job = JobJson.read(entry.json());
            Page page = page(job.id());
            if (page != null) {
                page.command = job;
                page.rejection = null;
            }
        } catch (InvalidJobException _) { // a dead letter will say why
            Page page = entry.key() == null ? null : page(entry.key());
            if (page != null) {
                page.rejection = null;
            }
        }
    }

    private void deadLetter(EventLog.Entry entry) {
        String job = entry.key();
        try {
            job = JobJson.read(entry.json()).id();
        } catch (InvalidJobException _) { // the usual case; then the key is all there is
        }
        Page page = job == null ? null : page(job);
        if (page != null) {
            page.rejection = entry.reason() == null ? "no reason is given" : entry.reason();
        }
    }

    private @Nullable Page page(String job) {
        if (!wanted.test(job)) {
            remember(job);
            return null;
        }
        if (pages.size() >= MAX_JOBS && !pages.containsKey(job)) {
            pages.remove(pages.keySet().iterator().next());
        }
        return pages.computeIfAbsent(job, Page::new);
    }

    private void remember(String job) {
        if (others.size() < MAX_JOBS && job.length() <= MAX_NAME) {
            others.put(job, true);
        }
    }

    private void unreadable(EventLog.Entry entry, IOException e) {
        if (warnings < MAX_WARNINGS) {
            String why = e.getMessage() == null
                    ? e.toString()
                    : e.getMessage().lines().findFirst().orElse("");
            warn.accept("skipped the record in %s: it is not an event: %s"
                    .formatted(entry.where(), Terminal.printable(why, 200)));
        } else if (warnings == MAX_WARNINGS) {
            warn.accept("more records that are no events are skipped without a word");
        }
        warnings++;
    }

    /// The wanted jobs, in the order they were first heard of.
    public Collection<Page> pages() {
        return Collections.unmodifiableCollection(pages.values());
    }

    /// @return null if nothing is known of it
    @Nullable
    Page find(String job) {
        return pages.get(job);
    }

    /// The names of all jobs heard of, wanted or not.
    List<String> names() {
        var names = new ArrayList<>(pages.keySet());
        names.addAll(others.keySet());
        return names;
    }
}
