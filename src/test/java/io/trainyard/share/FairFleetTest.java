package io.trainyard.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.share.FairFleet.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the rule makes of weights, whatever is long and whatever is short; a beat is 2 s.
class FairFleetTest {
    /// An hour.
    private static final double WINDOW = 1800;

    private static ProjectRules rules(Map<String, Double> weights) {
        Map<String, ProjectRule> named = new HashMap<>();
        weights.forEach((project, weight) -> named.put(project, new ProjectRule(weight, null, null)));
        return new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, named);
    }

    /// Shares over four windows, once one has passed, of weights 3, 2 and 1; with jobs of `a` to 3a beats, of `b` and
    /// of `c`.
    @ParameterizedTest
    @CsvSource({
        "   10,  30,  30,  30",
        "   10,   5,  90, 400",
        "   10, 400,  90,   5",
        "  100,  30,  30,  30",
        "  100, 600,  60,   5",
        "  100,   5,  60, 600",
        " 1000, 900, 300,  30",
        " 1000,  30, 300, 900",
    })
    void sharesAreThoseOfTheWeights(int workers, double a, double b, double c) {
        Map<String, Double> weights = Map.of("a", 3.0, "b", 2.0, "c", 1.0);
        Map<String, Work> work = new LinkedHashMap<>();
        work.put("a", Work.always(a));
        work.put("b", Work.always(b));
        work.put("c", Work.always(c));
        FairFleet fleet = new FairFleet(rules(weights), WINDOW, workers, work, 7);
        fleet.run((long) WINDOW);
        var _ = fleet.shares();
        fleet.run(4 * (long) WINDOW);
        Map<String, Double> shares = fleet.shares();
        weights.forEach((project, weight) ->
                assertThat(shares.get(project)).as(project).isCloseTo(weight / 6, within(0.05 * weight / 6)));
    }

    /// What it had not used while others did, it gets first; then both have their share.
    @ParameterizedTest
    @CsvSource({"10, 30", "100, 60", "1000, 200"})
    void whoComesLateCatchesUpWithinAWindow(int workers, double shortest) {
        long window = (long) WINDOW;
        Work late = new Work(shortest, 4 * window, Long.MAX_VALUE);
        FairFleet fleet = new FairFleet(
                rules(Map.of()), WINDOW, workers, Map.of("early", Work.always(shortest), "late", late), 1);
        fleet.run(4 * window);
        assertThat(fleet.shares()).containsOnlyKeys("early");
        fleet.run(window);
        assertThat(fleet.shares().get("late")).isGreaterThan(0.6);
        fleet.run(window / 4);
        var _ = fleet.shares();
        fleet.run(window);
        assertThat(fleet.shares().get("late")).isCloseTo(0.5, within(0.025));
    }

    /// What makes the difference is that use is counted: else who comes late has its share, and catches up with
    /// nothing.
    @Test
    void whereNobodyCountsWhoComesLateHasNoMoreThanItsShare() {
        long window = (long) WINDOW;
        Work late = new Work(60, 4 * window, Long.MAX_VALUE);
        FairFleet fleet = new FairFleet(rules(Map.of()), WINDOW, 100, Map.of("early", Work.always(60), "late", late), 1)
                .forgetting();
        fleet.run(4 * window);
        var _ = fleet.shares();
        fleet.run(window);
        assertThat(fleet.shares().get("late")).isLessThan(0.55);
    }

    @Test
    void whatAnIdleProjectLeavesTheOthersDivideByTheirWeights() {
        Work gone = new Work(60, 0, 2 * (long) WINDOW);
        Map<String, Work> work = Map.of("a", Work.always(60), "b", Work.always(60), "gone", gone);
        FairFleet fleet = new FairFleet(rules(Map.of("a", 3.0, "gone", 6.0)), WINDOW, 100, work, 3);
        fleet.run((long) WINDOW);
        var _ = fleet.shares();
        fleet.run((long) WINDOW);
        assertThat(fleet.shares().get("gone")).isCloseTo(0.6, within(0.03));
        fleet.run(200);
        var _ = fleet.shares();
        fleet.run(4 * (long) WINDOW);
        assertThat(fleet.shares()).containsOnlyKeys("a", "b");
        assertThat(fleet.running("a")).isCloseTo(75, within(4));
    }

    @Test
    void quotasBindWhateverTheShare() {
        ProjectRules rules = new ProjectRules(
                Duration.ofHours(1),
                new ProjectRule(1, 3, null),
                Map.of("big", new ProjectRule(100, 20, null), "none", new ProjectRule(1000, 0, null)));
        Map<String, Work> work =
                Map.of("big", Work.always(30), "none", Work.always(30), "c", Work.always(90), "d", Work.always(5));
        FairFleet fleet = new FairFleet(rules, WINDOW, 50, work, 5);
        fleet.run(2000);
        assertThat(fleet.mostAtATime("big")).isEqualTo(20);
        assertThat(fleet.mostAtATime("none")).isZero();
        assertThat(fleet.mostAtATime("c")).isEqualTo(3);
        assertThat(fleet.mostAtATime("d")).isEqualTo(3);
    }
}
