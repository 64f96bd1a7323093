package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.Control.Urgency;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PriorityTest {
    @Test
    void isTheUrgencyOfTheSameName() {
        assertThat(Arrays.stream(Urgency.values()).map(Priority::of)).containsExactly(Priority.values());
        assertThat(Arrays.stream(Priority.values()).map(Priority::urgency)).containsExactly(Urgency.values());
        assertThat(Priority.of(Urgency.HIGH)).hasToString(Urgency.HIGH.name());
    }
}
