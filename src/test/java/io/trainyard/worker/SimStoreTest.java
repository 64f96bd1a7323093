package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.CheckpointStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SimStoreTest {
    private static final byte[] OLD = "old".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NEW = "new".getBytes(StandardCharsets.UTF_8);

    @Test
    void oneOfManyCreates() {
        for (int seed = 0; seed < 50; seed++) {
            SimWorld world = new SimWorld(seed);
            SimStore store = new SimStore(world, "s");
            List<String> created = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                SimProcess process = world.process("p" + i);
                process.start("creates", () -> {
                    if (store.of(process).createIfAbsent("job/attempt", NEW)) {
                        created.add(process.name());
                    }
                });
            }
            world.run(Duration.ofSeconds(1));
            assertThat(created).hasSize(1);
        }
    }

    /// Whenever its writer dies, the object is the old one or the new one, and each happens.
    @Test
    void aCrashLeavesTheOldObjectOrTheNewOne() {
        Map<String, Integer> found = new HashMap<>();
        for (int seed = 0; seed < 100; seed++) {
            SimWorld world = new SimWorld(seed);
            SimStore store = new SimStore(world, "s");
            store.put("key", OLD);
            SimProcess process = world.process("p");
            process.start("writes", () -> store.of(process).write("key", out -> out.write(NEW)));
            SimTimer _ = world.after(process.upTo(Duration.ofMillis(10)), process::crash);
            world.run(Duration.ofSeconds(1));
            found.merge(text(store), 1, Integer::sum);
        }
        assertThat(found).containsOnlyKeys("old", "new");
    }

    private static String text(SimStore store) {
        byte[] bytes = store.object("key");
        return bytes == null ? "none" : new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void listsOneLevelOfAFolder() {
        SimWorld world = new SimWorld(1);
        SimStore store = new SimStore(world, "s");
        for (String key :
                new String[] {"job-1/spec.json", "job-1/attempts/1", "job-1/attempts/2", "job-10/spec.json"}) {
            store.put(key, OLD);
        }
        SimProcess process = world.process("p");
        process.start("lists", () -> {
            CheckpointStore mine = store.of(process);
            assertThat(mine.list("job-1")).containsExactly("job-1/attempts", "job-1/spec.json");
            assertThat(mine.list("job-1/attempts")).containsExactly("job-1/attempts/1", "job-1/attempts/2");
            assertThat(mine.list("none")).isEmpty();
        });
        world.run(Duration.ofSeconds(1));
    }

    @Test
    void troubleIsAnException() {
        SimWorld world = new SimWorld(1);
        SimStore store = new SimStore(world, "s");
        store.put("key", OLD);
        SimProcess process = world.process("p");
        process.start("tries", () -> {
            CheckpointStore mine = store.of(process);
            store.trouble(SimStore.Trouble.FULL);
            assertThat(mine.open("key")).isPresent();
            assertThatThrownBy(() -> mine.createIfAbsent("other", NEW))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageContaining("other")
                    .hasMessageContaining("no space left");
            store.trouble(SimStore.Trouble.UNREACHABLE);
            assertThatThrownBy(() -> mine.open("key")).isInstanceOf(CheckpointException.class);
            store.trouble(SimStore.Trouble.NONE);
            assertThat(mine.createIfAbsent("other", NEW)).isTrue();
        });
        world.run(Duration.ofSeconds(1));
        assertThat(store.keys()).containsExactly("key", "other");
    }
}
