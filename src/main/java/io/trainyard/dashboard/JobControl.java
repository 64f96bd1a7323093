package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.Control.RequestedPriority;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.MetricValues;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.CommandSender;
import io.trainyard.topics.Priority;
import io.trainyard.topics.RecordFinder;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.Submitter;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// Publishes new jobs and control requests. Their effect is shown when the workers have published it.
@Singleton
public class JobControl {
    /// Timeout for responses of the brokers.
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /// A command without any record after this time no longer counts as waiting.
    private static final Duration UNKNOWN_FOR = Duration.ofMinutes(1);

    private final TrackingStore store;
    private final Cluster kafka;
    private final CommandSender sender;

    JobControl(TrackingStore store, Brokers brokers, @ConfigProperty(name = "trainyard.topics.prefix") String prefix) {
        this.store = store;
        kafka = new Cluster(brokers, prefix, TIMEOUT);
        sender = new CommandSender(kafka, CloudEvents.DASHBOARD);
    }

    public enum Action {
        CANCEL("cancel"),
        PAUSE("pause"),
        RESUME("resume"),
        REPRIORITIZE("reprioritize");

        private final String word;

        Action(String word) {
            this.word = word;
        }
    }

    /// The result of a request for one job.
    ///
    /// @param known whether the job exists
    /// @param ok whether the job is or will be in the requested state
    public record Answer(
            String job,
            boolean ok,
            String sentence,
            @JsonIgnore boolean known) {}

    /// The number of jobs that wait for a worker, from the records read so far.
    public long waiting() {
        return store.jobs(new JobQuery(Set.of(Status.QUEUED), "", "", JobQuery.Sort.JOB, false, 1, 0))
                .total();
    }

    /// The number of a user's jobs that wait for a worker, including those just submitted.
    public long waiting(Submitter submitter) {
        return store.submitters().waiting(submitter.id(), System.currentTimeMillis() - UNKNOWN_FOR.toMillis());
    }

    /// Publishes jobs.
    ///
    /// @param submitter the user; empty without sign-in
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    public void submit(List<JobSpec> jobs, Priority priority, Optional<Submitter> submitter) {
        sender.send(jobs, priority, _ -> {});
        submitter.ifPresent(
                by -> store.submitters().add(jobs.stream().map(JobSpec::id).toList(), by, System.currentTimeMillis()));
    }

    /// Publishes users' metrics.
    ///
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    public void publish(List<MetricValues> metrics) {
        sender.metrics(metrics);
    }

    /// Applies an action to jobs.
    ///
    /// @param priority the new priority; null if the action does not change it
    /// @return one answer per job, in the order of the jobs
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    public List<Answer> act(Action action, List<String> jobs, @Nullable Priority priority) {
        return act(action, jobs, priority, false);
    }

    /// Like the other `act`.
    ///
    /// @param group whether the jobs are a group. If they are, jobs that are paused at a rung stay paused
    public List<Answer> act(Action action, List<String> jobs, @Nullable Priority priority, boolean group) {
        Map<String, Answer> answers = new LinkedHashMap<>();
        List<Control> controls = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        for (String job : jobs) {
            Optional<JobState> state = store.job(job);
            if (state.isEmpty()) {
                answers.put(job, new Answer(job, false, "is not known: nothing was submitted under that id", false));
                continue;
            }
            Optional<Control> kept = store.control(job);
            boolean isPaused = action == Action.RESUME && state.get().rung() != null;
            if (isPaused && group && kept.map(Control::desiredState).orElse(DesiredState.RUN) != DesiredState.PAUSE) {
                answers.put(job, new Answer(job, true, "is paused because other trials of its sweep are better", true));
                continue;
            }
            Answer answer = before(action, state.get(), kept);
            answers.put(job, answer);
            if (answer.ok() && !state.get().status().isFinal()) {
                if (priority != null && state.get().status() == Status.QUEUED) {
                    newestCommand(job).ifPresent(waiting::add);
                }
                RequestedPriority requestedPriority =
                        priority == null ? kept.map(Control::priority).orElse(null) : priority.requested();
                boolean runsOn =
                        (isPaused && !group) || kept.map(Control::skipsRungs).orElse(false);
                controls.add(new Control(
                        job, desiredState(action, kept), requestedPriority, Instant.now(), runsOn ? true : null));
            }
        }
        if (priority != null && !waiting.isEmpty()) {
            // Copies come first: if the control request is lost, an extra copy has no effect.
            sender.copy(RecordFinder.find(kafka, waiting), priority);
        }
        if (!controls.isEmpty()) {
            sender.control(controls);
            store.keep(controls); // also read from the topic later
        }
        return List.copyOf(answers.values());
    }

    private static Answer before(Action action, JobState state, Optional<Control> kept) {
        String job = state.job();
        Status status = state.status();
        if (status.isFinal()) {
            boolean asked = action == Action.CANCEL && status == Status.CANCELLED;
            return new Answer(job, asked, "is %s already; nothing to %s".formatted(status.word(), action.word), true);
        }
        boolean isPaused = status == Status.PAUSED
                || kept.map(Control::desiredState).orElse(DesiredState.RUN) == DesiredState.PAUSE;
        if (action == Action.RESUME && !isPaused) {
            return new Answer(job, false, "is %s and was not paused; nothing to resume".formatted(status.word()), true);
        }
        return new Answer(
                job,
                true,
                switch (action) {
                    case CANCEL -> "ends, at its next step if it runs";
                    case PAUSE -> "is paused at its next step";
                    case RESUME -> "continues";
                    case REPRIORITIZE -> "has another priority";
                },
                true);
    }

    private static DesiredState desiredState(Action action, Optional<Control> kept) {
        return switch (action) {
            case CANCEL -> DesiredState.CANCEL;
            case PAUSE -> DesiredState.PAUSE;
            case RESUME -> DesiredState.RUN;
            case REPRIORITIZE -> kept.map(Control::desiredState).orElse(DesiredState.RUN);
        };
    }

    /// The position of the newest readable command of a job.
    private Optional<String> newestCommand(String job) {
        AtomicReference<String> place = new AtomicReference<>();
        store.eachJobRecord(job, jobRecord -> {
            if (jobRecord instanceof Requested asked && asked.spec() != null) {
                place.set(asked.place());
            }
        });
        return Optional.ofNullable(place.get());
    }
}
