package io.trainyard.device.onednn;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongFunction;

/// Native memory for the values of a shard's programs, which run one at a time: each program uses the memory of the
/// others again. So a job needs the memory of its largest program instead of that of all.
final class MemoryPool {
    private final LongFunction<MemorySegment> allocator;
    private final List<MemorySegment> all = new ArrayList<>();
    private final TreeMap<Long, List<MemorySegment>> free = new TreeMap<>(); // by size, not taken by this program

    /// @param allocator of memory with this number of bytes, which lives as long as this pool
    MemoryPool(LongFunction<MemorySegment> allocator) {
        this.allocator = allocator;
    }

    /// The next program begins to take memory.
    void begin() {
        free.clear();
        all.forEach(memory ->
                free.computeIfAbsent(memory.byteSize(), _ -> new ArrayList<>()).add(memory));
    }

    /// The smallest free memory that suffices, or a new one. Its content is undefined.
    MemorySegment take(long bytes) {
        Entry<Long, List<MemorySegment>> fitting = free.ceilingEntry(bytes);
        if (fitting == null) {
            MemorySegment memory = allocator.apply(bytes);
            all.add(memory);
            return memory;
        }
        MemorySegment memory = fitting.getValue().removeLast();
        if (fitting.getValue().isEmpty()) {
            Objects.requireNonNull(free.remove(fitting.getKey()));
        }
        return memory.asSlice(0, bytes);
    }
}
