package io.trainyard.forecast;

/// Slots by the time at which they are free, the first on top.
final class SlotHeap {
    private static final int NOWHERE = -1;

    private final int[] slots;
    private final int[] places; // by slot: where it is
    private final double[] free; // by slot
    private int size;

    SlotHeap(double[] free) {
        this.free = free;
        slots = new int[free.length];
        places = new int[free.length];
        size = free.length;
        for (int i = 0; i < size; i++) {
            put(i, i);
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

    /// When a slot is free.
    double time(int slot) {
        return free[slot];
    }

    /// The slot on top is free later.
    void delayTop(double time) {
        free[slots[0]] = time;
        sink(0);
    }

    /// A slot that is here is free sooner.
    void hasten(int slot, double time) {
        free[slot] = time;
        rise(places[slot]);
    }

    void removeTop() {
        places[slots[0]] = NOWHERE;
        int last = slots[--size];
        if (size > 0) {
            put(0, last);
            sink(0);
        }
    }

    /// A slot that was removed is here again.
    void add(int slot, double time) {
        free[slot] = time;
        put(size, slot);
        rise(size++);
    }

    private void put(int place, int slot) {
        slots[place] = slot;
        places[slot] = place;
    }

    private void swap(int one, int other) {
        int slot = slots[one];
        put(one, slots[other]);
        put(other, slot);
    }

    private void rise(int from) {
        int at = from;
        while (at > 0 && before(at, (at - 1) / 2)) {
            swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
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
            swap(at, child);
            at = child;
        }
    }

    private boolean before(int one, int other) {
        double a = free[slots[one]];
        double b = free[slots[other]];
        return a < b || (a == b && slots[one] < slots[other]);
    }
}
