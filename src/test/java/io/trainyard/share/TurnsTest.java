package io.trainyard.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Who looks ahead gives the same turns as workers do.
class TurnsTest {
    private static final List<String> PROJECTS = List.of("a", "b", "c", "d");
    private static final double WINDOW = 100;

    private static ProjectRules rules(SplittableRandom chance) {
        Map<String, ProjectRule> named = new HashMap<>();
        for (String project : PROJECTS) {
            Integer most = chance.nextBoolean() ? null : chance.nextInt(4);
            named.put(project, new ProjectRule(1 + chance.nextInt(3), most, null));
        }
        return new ProjectRules(Duration.ofHours(1), ProjectRule.PLAIN, named);
    }

    @Test
    void turnsAreThoseOfWorkers() {
        for (int seed = 0; seed < 500; seed++) {
            SplittableRandom chance = new SplittableRandom(seed);
            Map<String, Double> used = new HashMap<>();
            Map<String, Load> loads = new HashMap<>();
            boolean[] waiting = new boolean[PROJECTS.size()];
            for (int i = 0; i < waiting.length; i++) {
                waiting[i] = chance.nextInt(4) > 0;
                int jobs = chance.nextInt(4);
                loads.put(PROJECTS.get(i), new Load(jobs, jobs * (1 + chance.nextInt(2))));
                used.put(PROJECTS.get(i), (double) chance.nextInt(3)); // often the same
            }
            ProjectRules rules = rules(chance);
            Standings standings = Standings.of(rules, WINDOW, used, loads);
            String next = standings
                    .next(PROJECTS.stream().filter(project -> waiting[PROJECTS.indexOf(project)]))
                    .orElse(null);
            int found = new Turns(rules, PROJECTS, WINDOW, used, loads).next(waiting);
            assertThat(found < 0 ? null : PROJECTS.get(found))
                    .as("seed %d", seed)
                    .isEqualTo(next);
        }
    }

    /// As [Usage] counts, beat by beat.
    @Test
    void whatIsUsedFadesAsItDoesWithWorkers() {
        Usage usage = new Usage(WINDOW);
        Turns turns = new Turns(ProjectRules.NONE, List.of("a", "b"), WINDOW, Map.of(), Map.of());
        turns.begin(0, 2);
        for (int i = 0; i < 50; i++) {
            usage.beat(Map.of("a", new Load(1, 2)));
        }
        turns.pass(50);
        turns.end(0, 2);
        turns.begin(1, 1);
        boolean[] both = {true, true};
        int beats = 0;
        for (; turns.next(both) == 1; beats++) { // until the other has used as much
            usage.beat(Map.of("b", new Load(1, 1)));
            turns.pass(51 + beats);
        }
        double ahead = Standings.ahead(WINDOW);
        double lead = usage.used().getOrDefault("a", 0.0) - usage.used().getOrDefault("b", 0.0);
        assertThat(lead).isCloseTo(ahead, within(2.0));
        assertThat(beats).isBetween(10, 60);
    }

    @Test
    void copiesGoOnByThemselves() {
        ProjectRules rules = new ProjectRules(Duration.ofHours(1), new ProjectRule(1, 1, null), Map.of());
        Turns turns = new Turns(rules, List.of("a"), WINDOW, Map.of(), Map.of());
        Turns copy = new Turns(turns);
        copy.begin(0, 1);
        assertThat(copy.next(new boolean[] {true})).isNegative();
        assertThat(turns.next(new boolean[] {true})).isZero();
        copy.end(0, 1);
        assertThat(copy.next(new boolean[] {true})).isZero();
    }
}
