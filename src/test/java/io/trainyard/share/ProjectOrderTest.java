package io.trainyard.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The order of projects, and the usage that it depends on.
class ProjectOrderTest {
    private static final ProjectRules RULES = new ProjectRules(
            Duration.ofHours(1),
            ProjectRule.PLAIN,
            Map.of("triple", new ProjectRule(3, null, null), "small", new ProjectRule(1, 1, null)));

    private static ProjectOrder order(Map<String, Double> used, Map<String, ProjectLoad> loads) {
        return ProjectOrder.of(RULES, 1600, used, loads);
    }

    @Test
    void theProjectWithTheLeastUseForItsWeightIsNext() {
        ProjectOrder order = order(Map.of("triple", 290.0, "other", 100.0), Map.of());
        assertThat(order.next(Stream.of("other", "triple"))).contains("triple");
        assertThat(order.next(Stream.of("other", "new"))).contains("new");
        assertThat(order.next(Stream.of("other"))).contains("other");
        assertThat(order.next(Stream.empty())).isEmpty();
        assertThat(order(Map.of("triple", 310.0, "other", 100.0), Map.of()).next(Stream.of("other", "triple")))
                .contains("other");
    }

    @Test
    void tiesAreBrokenAlphabetically() {
        assertThat(order(Map.of(), Map.of()).next(Stream.of("c", "b", "d"))).contains("b");
    }

    @Test
    void runningJobsCountAtOnce() {
        ProjectOrder order = order(Map.of(), Map.of("a", new ProjectLoad(1, 1), "triple", new ProjectLoad(2, 2)));
        assertThat(order.next(Stream.of("a", "triple"))).contains("triple");
        assertThat(order(Map.of(), Map.of("a", new ProjectLoad(1, 1), "triple", new ProjectLoad(2, 4)))
                        .next(Stream.of("a", "triple")))
                .as("each device counts")
                .contains("a");
    }

    @Test
    void projectsAtTheirQuotaAreSkipped() {
        ProjectOrder full = order(Map.of("b", 1e6), Map.of("small", new ProjectLoad(1, 1)));
        assertThat(full.hasCapacity("small")).isFalse();
        assertThat(full.next(Stream.of("b", "small"))).contains("b");
        assertThat(full.next(Stream.of("small"))).isEmpty();
        assertThat(order(Map.of("b", 1e6), Map.of()).next(Stream.of("b", "small")))
                .contains("small");
    }

    @Test
    void reportsWhyAProjectWaits() {
        ProjectOrder order = order(Map.of("b", 100.0), Map.of("small", new ProjectLoad(1, 1)));
        assertThat(order.hold("small", Stream.of("b")).map(ProjectWaitReason::sentence))
                .contains("project small has 1 job running, and may have 1");
        assertThat(order.hold("b", Stream.of("c", "small")).map(ProjectWaitReason::sentence))
                .contains("it is the turn of project c");
        assertThat(order.hold("c", Stream.of("b", "small"))).isEmpty();
        assertThat(order.hold("b", Stream.of("small")))
                .as("a project at its quota is skipped")
                .isEmpty();
    }

    @Test
    void pastUseDecaysToAThirdPerWindow() {
        DecayedUsage usage = new DecayedUsage(100);
        for (int i = 0; i < 1000; i++) {
            usage.beat(Map.of("a", new ProjectLoad(2, 4)));
        }
        double full = usage.used().getOrDefault("a", 0.0);
        assertThat(full).as("devices, and not jobs").isCloseTo(4 * 100, within(4.0));
        for (int i = 0; i < 100; i++) {
            usage.beat(Map.of());
        }
        assertThat(usage.used().get("a")).isCloseTo(full / Math.E, within(0.01));
        for (int i = 0; i < 2000; i++) {
            usage.beat(Map.of());
        }
        assertThat(usage.used()).as("in the end nothing is left").isEmpty();
    }

    @Test
    void projectsAreLimited() {
        DecayedUsage usage = new DecayedUsage(1e6);
        usage.beat(Map.of("first", new ProjectLoad(1, 8)));
        for (int i = 0; i < 3; i++) {
            Map<String, ProjectLoad> many = new HashMap<>();
            for (int j = 0; j < DecayedUsage.MAX_PROJECTS; j++) {
                many.put("p-%d-%d".formatted(i, j), new ProjectLoad(1, 1));
            }
            usage.beat(many);
        }
        assertThat(usage.used()).hasSize(DecayedUsage.MAX_PROJECTS).containsKey("first");
    }

    @Test
    void adoptsLargerCountsOfOthers() {
        DecayedUsage usage = new DecayedUsage(100);
        usage.beat(Map.of("a", new ProjectLoad(1, 5), "b", new ProjectLoad(1, 1)));
        usage.adopt(
                Map.of("a", 3.0, "b", 30.0, "c", 7.0, "none", 0.0, "odd", Double.NaN, "much", Double.POSITIVE_INFINITY),
                1);
        assertThat(usage.used()).isEqualTo(Map.of("a", 5.0, "b", 30.0, "c", 7.0));
        usage.beat(Map.of());
        assertThat(usage.used().get("b")).isCloseTo(30 * Math.exp(-0.01), within(1e-9));
    }

    @Test
    void adoptsNothingOnceComplete() {
        DecayedUsage usage = new DecayedUsage(100);
        for (int i = 0; i < 3; i++) {
            usage.beat(Map.of());
        }
        assertThat(usage.adopt(Map.of("a", 10.0), 2)).isTrue();
        assertThat(usage.isComplete()).isFalse();
        usage.beat(Map.of());
        assertThat(usage.adopt(Map.of("a", 50.0), 2)).isFalse();
        assertThat(usage.isComplete()).isTrue();
        assertThat(usage.used().get("a")).isLessThan(5);
    }

    @Test
    void refusesMoreWaitingJobsThanAllowed() {
        ProjectRules rules =
                new ProjectRules(Duration.ofHours(1), new ProjectRule(1, null, 10), Map.of("free", ProjectRule.PLAIN));
        assertThat(rules.refusal("a", 7, 3)).isNull();
        assertThat(rules.refusal("free", 1_000_000, 1)).isNull();
        assertThat(rules.refusal("a", 7, 4))
                .isEqualTo(
                        "project a has 7 jobs waiting, and with 4 more it would have 11; allowed is up to 10. Wait until some have started, or cancel some");
    }
}
