package io.trainyard.forecast;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// Slots that found nothing to take, by the lanes that they look at, a bit each.
final class IdleSlots {
    private final List<Deque<Integer>> byMask = new ArrayList<>();
    private int size;

    IdleSlots() {
        for (int mask = 0; mask < 1 << Schedule.LANES; mask++) {
            byMask.add(new ArrayDeque<>());
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    void add(int mask, int slot) {
        byMask.get(mask).addLast(slot);
        size++;
    }

    /// One that looks at a lane; less than 0: there is none.
    int take(Lane lane) {
        for (int mask = 0; size > 0 && mask < byMask.size(); mask++) {
            if ((mask >> lane.ordinal() & 1) == 1 && !byMask.get(mask).isEmpty()) {
                size--;
                return byMask.get(mask).removeFirst();
            }
        }
        return -1;
    }

    /// One of all that look at the same lanes each.
    List<Integer> takeOneOfEach() {
        List<Integer> taken = new ArrayList<>();
        for (Deque<Integer> alike : byMask) {
            if (size > 0 && !alike.isEmpty()) {
                size--;
                taken.add(alike.removeFirst());
            }
        }
        return taken;
    }
}
