package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class SimWorldTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final SimWorld world = new SimWorld(1);
    private final SimProcess process = world.process("p");
    private final List<String> log = new ArrayList<>();

    /// The trace of a seed that uses the JDK's own tools.
    private static String run(long seed) {
        SimWorld world = new SimWorld(seed);
        SimProcess process = world.process("p");
        BlockingQueue<String> queue = new LinkedBlockingQueue<>(2);
        ReentrantLock lock = new ReentrantLock();
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int id = i;
            process.start("producer-" + i, () -> {
                try {
                    for (int n = 0; n < 5; n++) {
                        process.sleep(process.upTo(SECOND));
                        lock.lock();
                        queue.put(id + ":" + n);
                        lock.unlock();
                    }
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        process.start("consumer", () -> {
            try {
                for (int n = 0; n < 15; n++) {
                    order.add(queue.take());
                    process.sleep(process.upTo(SECOND));
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(world.runUntil(() -> order.size() == 15, Duration.ofMinutes(1)))
                .isTrue();
        return order + " " + Long.toHexString(world.trace());
    }

    @Test
    void aSeedMakesTheSameWorldInAnyOrder() {
        Map<Long, String> first = new HashMap<>();
        for (long seed = 0; seed < 50; seed++) {
            first.put(seed, run(seed));
        }
        for (long seed = 49; seed >= 0; seed--) {
            assertThat(run(seed)).isEqualTo(first.get(seed));
        }
        assertThat(first.values()).doesNotHaveDuplicates();
    }

    /// The trace is the same in every JVM.
    @Test
    void aSeedMakesTheRecordedWorld() {
        assertThat(run(7))
                .isEqualTo(
                        "[2:0, 2:1, 1:0, 0:0, 0:1, 1:1, 2:2, 0:2, 1:2, 2:3, 0:3, 1:3, 2:4, 0:4, 1:4] ecb499d57a276b25");
    }

    @Test
    void aWaitEndsWithWorkTimeoutOrInterrupt() {
        CompletableFuture<String> work = new CompletableFuture<>();
        SimTimer _ = world.after(SECOND, () -> work.complete("done"));
        Thread waiting = process.start("t", () -> {
            try {
                log.add(process.await(work, SECOND.multipliedBy(2)) + " at " + world.nanos());
                process.await(new CompletableFuture<>(), SECOND.multipliedBy(2));
            } catch (TimeoutException e) {
                log.add("bound at " + world.nanos());
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            try {
                process.await(new CompletableFuture<>(), SECOND.multipliedBy(10));
            } catch (Exception e) {
                log.add(e.getClass().getSimpleName() + " at " + world.nanos());
            }
        });
        SimTimer _ = world.after(SECOND.multipliedBy(5), waiting::interrupt);
        world.run(SECOND.multipliedBy(20));
        assertThat(log)
                .containsExactly("done at 1000000000", "bound at 3000000000", "InterruptedException at 5000000000");
    }

    @Test
    void aCrashedProcessStopsAtOnce() {
        process.start("t", () -> {
            try {
                process.sleep(SECOND);
                log.add("stepped");
            } finally {
                log.add("finally");
            }
        });
        process.start("suicide", () -> {
            try {
                process.crash();
            } finally {
                log.add("finally");
            }
        });
        process.atCrash(() -> log.add("closed"));
        process.after(SECOND, () -> log.add("timer"));
        world.run(SECOND.multipliedBy(5));
        assertThat(log).containsExactly("closed");
        assertThat(process.isCrashed()).isTrue();
    }

    @Test
    void aFrozenProcessContinues() {
        process.start("t", () -> {
            for (int i = 0; i < 3; i++) {
                process.sleep(SECOND);
                log.add("at " + world.nanos() / 1_000_000);
            }
        });
        SimTimer _ = world.after(Duration.ofMillis(1500), () -> process.freeze(Duration.ofSeconds(10)));
        world.run(Duration.ofMinutes(1));
        assertThat(log).containsExactly("at 1000", "at 11500", "at 12500");
    }

    @Test
    void anExceptionFailsTheSeed() {
        process.start("t", () -> {
            throw new IllegalStateException("broke");
        });
        assertThatThrownBy(() -> world.run(SECOND))
                .isInstanceOf(SimFailure.class)
                .hasMessageContaining("seed 1,")
                .hasRootCauseMessage("broke");
    }

    @Test
    void aWaitForRealTimeFailsTheSeed() {
        process.start("t", () -> LockSupport.parkNanos(TimeUnit.HOURS.toNanos(1)));
        assertThatThrownBy(() -> world.run(SECOND)).hasMessageContaining("waits for real time");
    }

    @Test
    void aMonitorWhoseOwnerWaitsFailsTheSeed() {
        Object monitor = new Object();
        for (int i = 0; i < 2; i++) {
            process.start("t" + i, () -> {
                synchronized (monitor) {
                    process.sleep(Duration.ofDays(1));
                }
            });
        }
        assertThatThrownBy(() -> world.run(SECOND)).hasMessageContaining("waits for a monitor whose owner waits");
    }

    @Test
    void endlessThreadsFailTheSeed() {
        process.start("ping", () -> {
            while (true) {
                Thread.yield();
            }
        });
        assertThatThrownBy(() -> world.run(SECOND))
                .hasMessageContaining("run on and on")
                .hasMessageContaining("p/ping");
    }

    @Test
    void aThreadThatSpinsOnTheClockFailsTheSeed() {
        process.start("t", () -> {
            while (process.nanoTime() < 1) {
                Thread.onSpinWait();
            }
        });
        assertThatThrownBy(() -> world.run(SECOND)).hasMessageContaining("looks at the clock again and again");
    }

    @Test
    void otherThreadsCannotWakeAThreadOfTheWorld() {
        CompletableFuture<Void> never = new CompletableFuture<>();
        process.start("t", never::join);
        world.run(SECOND);
        Thread outside = Thread.ofPlatform().start(() -> never.complete(null));
        assertThat(org.assertj.core.api.Assertions.catchThrowable(outside::join))
                .isNull();
        assertThatThrownBy(() -> world.run(SECOND)).hasMessageContaining("from outside the simulated world");
    }
}
