package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.trainyard.Campaign;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.share.ProjectRule;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimFair.Setting;
import io.trainyard.worker.SimFair.Work;
import io.trainyard.worker.SimTraining.Kind;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(SilentWorkers.class)
class SimFairTest {
    /// Part of `./trainyard test`.
    private static final int FEW = 3;

    private static final int SEEDS = 12;
    private static final Duration WINDOW = Duration.ofMinutes(5);

    private static ProjectRule weight(double weight) {
        return new ProjectRule(weight, null, null);
    }

    private static Work always(ProjectRule rule, Kind kind, int jobs) {
        return new Work(rule, kind, Priority.NORMAL, jobs, Duration.ZERO);
    }

    /// Three projects with weights 3, 2 and 1 that always have waiting jobs, over three windows.
    @Slow
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void sharesAreThoseOfTheWeights(int slots) {
        Setting setting = new Setting(
                WINDOW,
                8 / slots,
                slots,
                List.of(
                        always(weight(3), Kind.JOB, 300),
                        always(weight(2), Kind.JOB, 200),
                        always(weight(1), Kind.JOB, 110)));
        SimFair fair = new SimFair(slots, SimSeams.NONE, setting);
        fair.shares(WINDOW);
        Map<String, Double> shares = fair.shares(WINDOW.multipliedBy(3));
        assertThat(shares.get("p1")).isCloseTo(3 / 6.0, within(0.05 * 3 / 6));
        assertThat(shares.get("p2")).isCloseTo(2 / 6.0, within(0.05 * 2 / 6));
        assertThat(shares.get("p3")).isCloseTo(1 / 6.0, within(0.05 * 1 / 6));
    }

    /// One project has had the fleet to itself when another one arrives, and all workers have been replaced
    /// since. The second project gets more until both have had the same, because the old workers published the
    /// usage to the new ones.
    @Slow
    @Test
    void aNewWorkerLearnsPastUse() {
        assertThat(ofTheLater(SimSeams.NONE)).isGreaterThan(0.85);
        assertThat(ofTheLater(new PublishesNothing())).isLessThan(0.8);
    }

    private static double ofTheLater(SimSeams seams) {
        Work early = always(weight(1), Kind.JOB, 200);
        Work late = new Work(weight(1), Kind.JOB, Priority.NORMAL, 80, WINDOW);
        SimFair fair = new SimFair(7, seams, new Setting(WINDOW, 4, 1, List.of(early, late)));
        fair.shares(WINDOW.minusSeconds(120));
        fair.replaceAll(Duration.ofSeconds(30));
        fair.shares(Duration.ofSeconds(140)); // jobs that were running have ended by then
        return fair.shares(Duration.ofSeconds(80)).getOrDefault("p2", 0.0);
    }

    /// Heartbeats without the projects' usage.
    private static final class PublishesNothing implements SimSeams {
        @Override
        public FleetLog log(FleetLog real, SimProcess process) {
            return SimLogSeam.heartbeats(real, (_, json) -> json.replace("\"used\":", "\"unknown\":"));
        }
    }

    /// A worker freezes between the permit and the ownership record, for longer than the others wait for that
    /// record, while the lock of its command lasts even longer. Its project then exceeds its quota by exactly
    /// one job.
    @Test
    void aFrozenStartExceedsTheQuotaByOne() {
        Work small = always(new ProjectRule(1, 1, null), Kind.JOB, 6);
        Setting setting = new Setting(WINDOW, 3, 1, List.of(small));
        assertThat(new SimFair(3, SimSeams.NONE, setting).run(0)).isEmpty();
        List<String> wrong = new SimFair(3, new StandsStill(), setting).run(0);
        assertThat(wrong).isNotEmpty().allMatch(sentence -> sentence.startsWith("project p1 has 2 jobs running"));
    }

    /// The first worker that gets a permit freezes right after it.
    private static final class StandsStill implements SimSeams {
        private boolean stood;

        @Override
        public SimShareGroup.Limits limits(SimShareGroup.Limits real) {
            return new SimShareGroup.Limits(Duration.ofSeconds(60), real.deliveries(), real.window());
        }

        @Override
        public Outbox outbox(Outbox real, SimProcess process) {
            return (topic, key, value, headers) -> {
                boolean begins = topic.equals(Topic.OWNERSHIP.name(""))
                        && key != null
                        && !DeferredRecord.isKey(new String(key, StandardCharsets.UTF_8));
                if (begins && !stood) {
                    stood = true;
                    process.freeze(Duration.ofSeconds(30));
                }
                return real.send(topic, key, value, headers);
            };
        }
    }

    private static Setting small(long seed) {
        SplittableRandom chance = new SplittableRandom(seed);
        List<Work> projects = new ArrayList<>();
        int count = 2 + chance.nextInt(2);
        for (int i = 0; i < count; i++) {
            Integer quota = chance.nextInt(2) == 0 ? null : 1 + chance.nextInt(2);
            projects.add(new Work(
                    new ProjectRule(1 + chance.nextInt(3), quota, null),
                    chance.nextBoolean() ? Kind.TINY : Kind.JOB,
                    Priority.values()[chance.nextInt(3)],
                    2 + chance.nextInt(8),
                    Duration.ofSeconds(chance.nextInt(60))));
        }
        return new Setting(WINDOW, 1 + chance.nextInt(4), 1 + chance.nextInt(2), projects);
    }

    private static SimSeeds worlds() {
        return new SimSeeds(seed -> new SimFair(seed, SimSeams.NONE, small(seed)).run(seed % 4 == 0 ? 0 : 8));
    }

    @Test
    void nothingIsLostAndNoQuotaIsExceeded() {
        assertThat(worlds().wrong(0, FEW)).isEmpty();
    }

    @Slow
    @Test
    void moreSeeds() {
        assertThat(worlds().wrong(FEW, SEEDS - FEW)).isEmpty();
    }

    /// Runs `-Dseeds` seeds from `-Dseed` on.
    @Test
    @Campaign
    void manySeeds() {
        assertThat(worlds().wrongOfCampaign(500)).isEmpty();
    }

    @Slow
    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aSeedFindsTheMistake(Mistake mistake) {
        SimSeeds worlds = new SimSeeds(seed -> new SimFair(seed, mistake, small(seed)).run(4));
        assertThat(worlds.finds(0, 60)).isPresent();
    }

    /// Mistakes that few worlds show.
    enum Mistake implements SimSeams {
        /// A deferred command is accepted, but its deferral is not published.
        DEFERRED_NOWHERE {
            @Override
            public Outbox outbox(Outbox real, SimProcess process) {
                return (topic, key, value, headers) -> headers.lastHeader(DeferredRecord.DEFERRED) != null
                        ? CompletableFuture.completedFuture(null)
                        : real.send(topic, key, value, headers);
            }
        },
        /// Every request for a permit succeeds.
        NO_PERMITS {
            @Override
            public CheckpointStore store(CheckpointStore real) {
                return new SimStoreSeam(real) {
                    @Override
                    public boolean createIfAbsent(String key, byte[] content) {
                        return key.startsWith("projects~/") || super.createIfAbsent(key, content);
                    }
                };
            }
        };
    }
}
