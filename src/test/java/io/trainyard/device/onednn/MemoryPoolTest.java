package io.trainyard.device.onednn;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryPoolTest {
    private final List<Long> allocated = new ArrayList<>();
    private final MemoryPool pool = new MemoryPool(bytes -> {
        allocated.add(bytes);
        return Arena.ofAuto().allocate(bytes);
    });

    @Test
    void theMemoriesOfOneProgramAreDisjoint() {
        pool.begin();
        MemorySegment first = pool.take(100);
        MemorySegment second = pool.take(100);

        assertThat(first.asOverlappingSlice(second)).isEmpty();
        assertThat(allocated).containsExactly(100L, 100L);
    }

    @Test
    void theNextProgramTakesTheSmallestMemoriesThatSuffice() {
        pool.begin();
        MemorySegment large = pool.take(1000);
        MemorySegment small = pool.take(100);
        pool.begin();

        assertThat(pool.take(60).address()).isEqualTo(small.address());
        assertThat(pool.take(60))
                .satisfies(memory -> assertThat(memory.address()).isEqualTo(large.address()))
                .satisfies(memory -> assertThat(memory.byteSize()).isEqualTo(60));
        assertThat(pool.take(60).byteSize()).isEqualTo(60);
        assertThat(allocated).containsExactly(1000L, 100L, 60L);
    }
}
