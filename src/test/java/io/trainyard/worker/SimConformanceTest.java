package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.broker.TestBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Checks [SimKafka] against the real broker: the same random scripts have the same results on both.
@Slow
class SimConformanceTest {
    /// Longer than the other moves of a script take.
    private static final Duration REAL_LOCK = Duration.ofSeconds(4);

    private static final Duration SIMULATED_LOCK = Duration.ofHours(1);
    private static final int AT_ONCE = 16;
    private static final AtomicInteger STAGES = new AtomicInteger();

    /// Retries, because a machine that stalls for as long as a lock loses a record, as it should.
    private static final int TRIES = 6;

    /// The moves of two members of a share group, one after the other.
    enum Act {
        PUBLISH,
        NEXT,
        ACCEPT,
        LAPSE,
        CLOSE
    }

    record Move(Act act, int member) {}

    /// A broker that can play a script.
    interface Stage extends AutoCloseable {
        void publish(String value);

        /// The value and its delivery count, or a note that there is no record.
        String next(int member);

        boolean accept(int member);

        /// Waits until every current lock has expired.
        void lapse();

        void reopen(int member);

        /// Waits until all messages in flight have arrived.
        void settle();

        void restart();

        @Override
        void close();
    }

    static List<Move> script(long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        List<Move> moves = new ArrayList<>();
        int lapses = 0;
        int closes = 0;
        for (int i = 0; i < 14; i++) {
            int drawn = chance.nextInt(20); // publishes as often as it fetches
            Act act = drawn < 7
                    ? Act.PUBLISH
                    : drawn < 12 ? Act.NEXT : drawn < 17 ? Act.ACCEPT : drawn < 19 ? Act.LAPSE : Act.CLOSE;
            if (act == Act.LAPSE && ++lapses > 1 || act == Act.CLOSE && ++closes > 1) {
                act = Act.NEXT;
            }
            moves.add(new Move(act, chance.nextInt(2)));
        }
        return moves;
    }

    /// Plays a script. Moves that make no sense at their place are skipped: a member that holds a record does
    /// not ask for one. A member leaves after a fetch without a record, because it would go on asking in the
    /// background.
    static List<String> play(List<Move> script, Stage stage) {
        List<String> results = new ArrayList<>();
        boolean[] holds = new boolean[2];
        int published = 0;
        for (Move move : script) {
            int member = move.member();
            switch (move.act()) {
                case PUBLISH -> stage.publish("c" + published++);
                case NEXT -> {
                    if (!holds[member]) {
                        String next = stage.next(member);
                        holds[member] = !next.isEmpty();
                        results.add(member + " next " + next);
                        if (next.isEmpty()) {
                            stage.reopen(member);
                        }
                    }
                }
                case ACCEPT -> {
                    if (holds[member]) {
                        holds[member] = false;
                        results.add(member + " accept " + stage.accept(member));
                    }
                }
                case LAPSE -> {
                    stage.lapse();
                    results.add("lapse");
                }
                case CLOSE -> {
                    stage.reopen(member);
                    holds[member] = false;
                    results.add(member + " reopen");
                }
            }
        }
        return results;
    }

    private static List<String> simulated(long seed) {
        return simulated(seed, stage -> play(script(seed), stage));
    }

    private static List<String> simulated(long seed, Function<Stage, List<String>> story) {
        List<List<String>> results = new ArrayList<>();
        SimWorld world = new SimWorld(seed);
        SimProcess process = world.process("members");
        process.start("script", () -> {
            try (Stage stage = new SimStage(world, process, SIMULATED_LOCK)) {
                results.add(story.apply(stage));
            }
        });
        assertThat(world.runUntil(() -> !results.isEmpty(), Duration.ofDays(1))).isTrue();
        return results.getFirst();
    }

    /// A member gets the next record after an empty fetch, although it does not ask again.
    @Test
    void aMemberReceivesRecordsAfterAnEmptyFetch() {
        Function<Stage, List<String>> story = stage -> {
            List<String> results = new ArrayList<>();
            results.add(stage.next(0));
            stage.publish("c");
            stage.settle();
            results.add(stage.next(1));
            stage.lapse();
            results.add(stage.next(1));
            results.add(stage.next(0));
            results.add("" + stage.accept(1));
            results.add("" + stage.accept(0));
            return results;
        };
        List<String> expected = simulated(1, story);
        assertThat(expected).containsExactly("", "", "c #2", "c #1", "true", "true");
        assertThat(real(story, expected, SimConformanceTest::shared)).isEqualTo(expected);
    }

    /// A restart drops locks, and the deliveries counted since a lock last expired.
    @Test
    @Campaign
    void aRestartDropsLocksAndTheLastDelivery(@TempDir Path directory) {
        Function<Stage, List<String>> story = stage -> {
            List<String> results = new ArrayList<>();
            stage.publish("c");
            results.add(stage.next(0));
            stage.lapse();
            results.add("" + stage.accept(0));
            results.add(stage.next(0));
            stage.restart();
            results.add("" + stage.accept(0));
            stage.reopen(0);
            results.add(stage.next(0));
            results.add("" + stage.accept(0));
            return results;
        };
        List<String> expected = simulated(1, story);
        assertThat(expected).containsExactly("c #1", "false", "c #2", "false", "c #2", "true");
        EmbeddedBroker[] broker = {EmbeddedBroker.start(directory, 0, "", TestBroker.settings(REAL_LOCK))};
        String address = broker[0].address();
        Runnable restart = () -> {
            int port = broker[0].port();
            broker[0].close();
            broker[0] = EmbeddedBroker.start(directory, port, "", TestBroker.settings(REAL_LOCK));
        };
        try {
            assertThat(real(story, expected, topic -> new SimRealStage(address, topic, REAL_LOCK, restart)))
                    .isEqualTo(expected);
        } finally {
            broker[0].close();
        }
    }

    @Test
    void scriptsHaveTheSameResultsOnTheRealBroker() throws Exception {
        compare(8);
    }

    @Test
    @Campaign
    void moreScripts() throws Exception {
        compare(Integer.getInteger("scripts", 400));
    }

    private static void compare(int scripts) throws Exception {
        List<Future<List<String>>> differences = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE)) {
            for (long script = 0; script < scripts; script++) {
                long seed = script;
                differences.add(pool.submit(() -> difference(seed)));
            }
        }
        List<String> all = new ArrayList<>();
        for (Future<List<String>> difference : differences) {
            all.addAll(difference.get());
        }
        System.out.printf("%d scripts, played %d times on the real broker%n", scripts, STAGES.get());
        assertThat(all).isEmpty();
    }

    private static List<String> difference(long seed) {
        List<String> expected = simulated(seed);
        List<String> found = real(stage -> play(script(seed), stage), expected, SimConformanceTest::shared);
        return found.equals(expected)
                ? List.of()
                : List.of("seed %d: %s%n  simulated %s%n  real      %s".formatted(seed, script(seed), expected, found));
    }

    private static Stage shared(String topic) {
        return new SimRealStage(TestBroker.address(), topic, REAL_LOCK);
    }

    /// Plays a story until it ends as expected, up to a few times.
    ///
    /// @param stages makes a stage with its own topic
    private static List<String> real(
            Function<Stage, List<String>> story, List<String> expected, Function<String, Stage> stages) {
        List<String> found = List.of();
        for (int i = 0; i < TRIES && !found.equals(expected); i++) {
            try (Stage stage = stages.apply("conformance-" + STAGES.incrementAndGet())) {
                found = story.apply(stage);
            }
        }
        return found;
    }
}
