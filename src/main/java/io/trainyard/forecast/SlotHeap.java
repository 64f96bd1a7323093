package io.trainyard.forecast;

/// Slots by the time at which they are free, the first on top.
final class SlotHeap {
    private final int[] slots;
    private final double[] free; // by slot
    private int size;

    SlotHeap(double[] free) {
        this.free = free;
        slots = new int[free.length];
        size = free.length;
        for (int i = 0; i < size; i++) {
            slots[i] = i;
        }
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(i);
        }
    }

    boolean isEmpty() {
        return size == 0;
    }

    int top() {
        return slots[0];
    }

    /// When the slot on top is free.
    double time() {
        return free[slots[0]];
    }

    /// The slot on top is free later.
    void delayTop(double time) {
        free[slots[0]] = time;
        sink(0);
    }

    void removeTop() {
        slots[0] = slots[--size];
        sink(0);
    }

    private void sink(int from) {
        int at = from;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                return;
            }
            if (child + 1 < size && before(child + 1, child)) {
                child++;
            }
            if (!before(child, at)) {
                return;
            }
            int swap = slots[at];
            slots[at] = slots[child];
            slots[child] = swap;
            at = child;
        }
    }

    private boolean before(int one, int other) {
        double a = free[slots[one]];
        double b = free[slots[other]];
        return a < b || (a == b && slots[one] < slots[other]);
    }
}
