package io.trainyard.cli;

import io.trainyard.cli.watch.JobRecordReader;
import io.trainyard.cli.watch.SeenJobNames;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobStates;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The state, the newest control request and the newest command of the jobs that a command controls.
final class ControlledJobs {
    static final List<Topic> TOPICS =
            Stream.concat(Topic.JOB_TOPICS.stream(), Stream.of(Topic.CONTROL)).toList();

    private final Set<String> names;
    private final JobRecordReader reader;
    private final JobStates book;
    private final SeenJobNames others = new SeenJobNames();
    private final Map<String, Control> controls = new HashMap<>();
    private final Map<String, TopicRecord> commands = new HashMap<>();

    ControlledJobs(Set<String> names, Consumer<String> warn) {
        this.names = names;
        reader = new JobRecordReader(warn);
        book = new JobStates(names.size(), _ -> {});
    }

    void take(TopicRecord entry) {
        String job = entry.job();
        if (entry.topic() == Topic.CONTROL) {
            readControl(entry);
        } else if (entry.topic().content() == Topic.Content.EVENTS && job != null && !names.contains(job)) {
            others.add(job); // most events are about other jobs
        } else {
            reader.read(entry).ifPresent(jobRecord -> take(jobRecord, entry));
        }
    }

    private void readControl(TopicRecord entry) {
        try {
            Control control = EventJson.readControl(entry.body());
            controls.put(control.job(), control);
        } catch (IOException _) { // an invalid request has no effect
        }
    }

    private void take(JobRecord jobRecord, TopicRecord entry) {
        others.add(jobRecord.job());
        if (names.contains(jobRecord.job())) {
            book.take(jobRecord);
            if (jobRecord instanceof JobRecord.Requested asked && asked.spec() != null) {
                commands.put(jobRecord.job(), entry);
            }
        }
    }

    List<String> unknown() {
        return names.stream().filter(name -> book.find(name) == null).toList();
    }

    String sayUnknown(String job) {
        List<String> similar = others.similarTo(job);
        return "is not known: nothing was submitted under that id%s; ./trainyard jobs lists all"
                .formatted(similar.isEmpty() ? "" : ", but there is " + String.join(", ", similar));
    }

    Collection<JobState> states() {
        return book.jobs();
    }

    Optional<JobState> state(String job) {
        return Optional.ofNullable(book.find(job));
    }

    Optional<Control> kept(String job) {
        return Optional.ofNullable(controls.get(job));
    }

    /// The desired state of a job; running by default.
    DesiredState desiredState(String job) {
        return kept(job).map(Control::desiredState).orElse(DesiredState.RUN);
    }

    /// The newest readable command of a job.
    Optional<TopicRecord> command(String job) {
        return Optional.ofNullable(commands.get(job));
    }
}
