package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.trainyard.event.Control;
import io.trainyard.event.Control.Urgency;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
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

/// What people ask for by the dashboard: new jobs, and what is to become of others. It is published to the
/// topics, where the workers find it; the page shows it when they have obeyed.
@Singleton
public class JobControl {
    /// For the brokers to answer.
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /// A command that was not heard of for so long is not on its way any more.
    private static final Duration UNHEARD = Duration.ofMinutes(1);

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

    /// What is answered for one job.
    ///
    /// @param known whether there is such a job
    /// @param ok whether the job is as asked, or will be
    public record Answer(
            String job,
            boolean ok,
            String sentence,
            @JsonIgnore boolean known) {}

    /// How many jobs wait for a worker, as far as was heard.
    public long waiting() {
        return store.jobs(new JobQuery(Set.of(Status.QUEUED), "", "", JobQuery.Sort.JOB, false, 1, 0))
                .total();
    }

    /// How many of somebody's jobs wait for a worker, those among them that are on their way.
    public long waiting(Submitter submitter) {
        return store.submitters().waiting(submitter.id(), System.currentTimeMillis() - UNHEARD.toMillis());
    }

    /// Publishes jobs.
    ///
    /// @param submitter who asks for it; empty where nobody signs in
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    public void submit(List<JobSpec> jobs, Priority priority, Optional<Submitter> submitter) {
        sender.send(jobs, priority, _ -> {});
        submitter.ifPresent(
                by -> store.submitters().add(jobs.stream().map(JobSpec::id).toList(), by, System.currentTimeMillis()));
    }

    /// Asks the same of jobs.
    ///
    /// @param priority what it is to be; null where that is not asked
    /// @return in the order of the jobs
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    public List<Answer> act(Action action, List<String> jobs, @Nullable Priority priority) {
        return act(action, jobs, priority, false);
    }

    /// As the other `act`.
    ///
    /// @param group whether they are meant as one: then those that rest at a rung are not had to run on
    public List<Answer> act(Action action, List<String> jobs, @Nullable Priority priority, boolean group) {
        Map<String, Answer> answers = new LinkedHashMap<>();
        List<Control> wishes = new ArrayList<>();
        List<String> waiting = new ArrayList<>();
        for (String job : jobs) {
            Optional<JobState> state = store.job(job);
            if (state.isEmpty()) {
                answers.put(job, new Answer(job, false, "is not known: nothing was submitted under that id", false));
                continue;
            }
            Optional<Control> kept = store.wish(job);
            boolean rests = action == Action.RESUME && state.get().rung() != null;
            if (rests && group && kept.map(Control::wish).orElse(Wish.RUN) != Wish.PAUSE) {
                answers.put(job, new Answer(job, true, "rests where others of its sweep are better", true));
                continue;
            }
            Answer answer = before(action, state.get(), kept);
            answers.put(job, answer);
            if (answer.ok() && !state.get().status().isFinal()) {
                if (priority != null && state.get().status() == Status.QUEUED) {
                    newestCommand(job).ifPresent(waiting::add);
                }
                Urgency urgency = priority == null ? kept.map(Control::priority).orElse(null) : priority.urgency();
                boolean runsOn = (rests && !group) || kept.map(Control::isRunOn).orElse(false);
                wishes.add(new Control(job, wish(action, kept), urgency, Instant.now(), runsOn ? true : null));
            }
        }
        if (priority != null && !waiting.isEmpty()) {
            // The copies of the commands come first: should the wish be lost, a copy too many is void.
            sender.copy(RecordFinder.find(kafka, waiting), priority);
        }
        if (!wishes.isEmpty()) {
            sender.wish(wishes);
            store.keep(wishes); // the topic tells it again
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
        boolean rests = status == Status.PAUSED || kept.map(Control::wish).orElse(Wish.RUN) == Wish.PAUSE;
        if (action == Action.RESUME && !rests) {
            return new Answer(job, false, "is %s and was not paused; nothing to resume".formatted(status.word()), true);
        }
        return new Answer(
                job,
                true,
                switch (action) {
                    case CANCEL -> "is asked to end, at its next step where it runs";
                    case PAUSE -> "is asked to rest, at its next step where it runs";
                    case RESUME -> "is asked to go on";
                    case REPRIORITIZE -> "has another priority";
                },
                true);
    }

    private static Wish wish(Action action, Optional<Control> kept) {
        return switch (action) {
            case CANCEL -> Wish.CANCEL;
            case PAUSE -> Wish.PAUSE;
            case RESUME -> Wish.RUN;
            case REPRIORITIZE -> kept.map(Control::wish).orElse(Wish.RUN);
        };
    }

    /// The place of the newest command of a job that can be read.
    private Optional<String> newestCommand(String job) {
        AtomicReference<String> place = new AtomicReference<>();
        store.eachNews(job, news -> {
            if (news instanceof Requested asked && asked.spec() != null) {
                place.set(asked.place());
            }
        });
        return Optional.ofNullable(place.get());
    }
}
