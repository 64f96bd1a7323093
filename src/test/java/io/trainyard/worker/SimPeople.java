package io.trainyard.worker;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.EventJson;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.time.Instant;
import org.apache.kafka.clients.producer.ProducerRecord;

/// Publishes what users of a fleet publish.
record SimPeople(SimKafka kafka) {
    /// @param body of the command
    void submit(String job, String body) {
        publish(Topic.COMMANDS_NORMAL, job, body.getBytes(UTF_8), CloudEvents.COMMAND);
    }

    void submit(String job, Priority priority) {
        byte[] body = SimTraining.command(job).getBytes(UTF_8);
        publish(priority.topicOf(SimTraining.spec(job)), job, body, CloudEvents.COMMAND);
    }

    void desiredState(String job, DesiredState desiredState) {
        Control control = new Control(job, desiredState, null, Instant.EPOCH);
        publish(Topic.CONTROL, job, EventJson.write(control), CloudEvents.CONTROL);
    }

    private void publish(Topic topic, String key, byte[] body, String type) {
        kafka.publish(new ProducerRecord<>(
                topic.name(""),
                null,
                (Long) null,
                key.getBytes(UTF_8),
                body,
                CloudEvents.headers(type, "/simulation", Instant.EPOCH)));
    }
}
