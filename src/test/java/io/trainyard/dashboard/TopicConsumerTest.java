package io.trainyard.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.topics.Topic;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class TopicConsumerTest {
    /// The configuration is a text, which knows no list of topics but its own.
    @Test
    void readsAllTopicsThatTellOfJobsAndWorkers() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = TopicConsumerTest.class.getResourceAsStream("/application.properties")) {
            properties.load(in);
        }
        List<Topic> told = new ArrayList<>(Topic.NEWS);
        told.add(Topic.WORKERS);
        assertThat(properties
                        .getProperty("mp.messaging.incoming.dashboard.topics")
                        .split(","))
                .containsExactlyInAnyOrderElementsOf(told.stream()
                        .map(topic -> topic.name("${trainyard.topics.prefix}"))
                        .toList());
    }
}
