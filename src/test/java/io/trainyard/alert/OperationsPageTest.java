package io.trainyard.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Page;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class OperationsPageTest {
    @Test
    void everyAlertHasATroubleshootingEntry() {
        assertThat(Page.read("docs/how-to/troubleshoot.md").tableOf("type").table().stream()
                        .map(row -> Page.code(row, 0).getFirst()))
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(Rule.values()).map(Rule::type).toList());
    }
}
