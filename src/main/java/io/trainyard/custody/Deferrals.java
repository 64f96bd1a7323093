package io.trainyard.custody;

import io.trainyard.spec.JobContract;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Commands that are newer than the worker that was handed them, and wait for one that understands them. Every worker
/// knows all of them, and who understands what: those that understand one take it, and where nobody does for long,
/// one worker gives it up.
///
/// Time is this worker's own heartbeats, as a [Keeper] counts them. Not thread-safe.
///
/// @param <C> what is known of a command besides
public final class Deferrals<C> {
    /// @param contract the newest that this worker understands
    /// @param beats of this worker's, after which a command is given up that nobody who is heard understands
    public record Rules(int contract, int beats) {}

    /// A command that waits.
    ///
    /// @param key its own, of the topic `custody`
    /// @param contract that it was written for
    /// @param bytes of memory that it takes
    public record Deferral<C>(String key, int contract, int bytes, C command) {}

    /// How many may wait before no worker adds another, and how many bytes they may have. What several add at a time
    /// may be more, and is kept all the same, up to [#SPARE] times as much.
    static final int MAX_COMMANDS = 1000;

    static final long MAX_BYTES = 16 << 20;
    private static final int SPARE = 4;

    /// How much later, in beats, the next in the order takes a command, and after how many nobody is waited for.
    private static final int BEATS_APART = 2;

    private static final int MAX_APART = 5;

    private static final class Waiting<C> {
        final Deferral<C> deferral;
        final long since; // the beat at which it came
        long hopeless; // the beat since which nobody understands it
        long given = Long.MIN_VALUE; // the beat at which it was given up

        Waiting(Deferral<C> deferral, long now) {
            this.deferral = deferral;
            since = now;
            hopeless = now;
        }
    }

    private final Keeper keeper;
    private final Rules rules;
    private final Map<String, Waiting<C>> waiting = new LinkedHashMap<>(); // the oldest first
    private final Map<String, Integer> contracts = new HashMap<>(); // of workers
    private long bytes;

    /// @param keeper knows who is heard
    public Deferrals(Keeper keeper, Rules rules) {
        this.keeper = keeper;
        this.rules = rules;
    }

    /// Takes in what a heartbeat says.
    ///
    /// @param contract that a worker understands
    public void heard(String worker, int contract) {
        contracts.put(worker, contract);
    }

    /// A command waits.
    public void add(Deferral<C> deferral) {
        remove(deferral.key());
        if (waiting.size() < SPARE * MAX_COMMANDS && bytes + deferral.bytes() <= SPARE * MAX_BYTES) {
            waiting.put(deferral.key(), new Waiting<>(deferral, keeper.beats()));
            bytes += deferral.bytes();
        }
    }

    /// A command waits no more.
    public void remove(String key) {
        Waiting<C> known = waiting.remove(key);
        if (known != null) {
            bytes -= known.deferral.bytes();
        }
    }

    /// Whether so many wait that no worker may add another.
    public boolean isFull() {
        return waiting.size() >= MAX_COMMANDS || bytes >= MAX_BYTES;
    }

    /// Those that this worker may take now, the oldest first. Of the workers that understand one the first in its
    /// order may at once, the others later, in case the first is busy.
    public List<Deferral<C>> due() {
        Map<String, Integer> live = live();
        List<Deferral<C>> due = new ArrayList<>();
        for (Waiting<C> one : waiting.values()) {
            Deferral<C> deferral = one.deferral;
            if (deferral.contract() <= rules.contract()) {
                int rank = keeper.rank(deferral.key(), able(deferral.contract(), live));
                if (keeper.beats() - one.since >= (long) BEATS_APART * Math.min(rank, MAX_APART)) {
                    due.add(deferral);
                }
            }
        }
        return due;
    }

    /// Those that this worker gives up now, once: nobody who is heard has understood them for long.
    public List<Deferral<C>> hopeless() {
        Map<String, Integer> live = live();
        long now = keeper.beats();
        List<Deferral<C>> hopeless = new ArrayList<>();
        for (Waiting<C> one : waiting.values()) {
            if (!able(one.deferral.contract(), live).isEmpty()) {
                one.hopeless = now;
                continue;
            }
            long patience = rules.beats() + (long) BEATS_APART * keeper.rank(one.deferral.key(), live.keySet());
            boolean acted = one.given != Long.MIN_VALUE && now - one.given < rules.beats();
            if (now - one.hopeless >= patience && !acted) {
                one.given = now;
                hopeless.add(one.deferral);
            }
        }
        return hopeless;
    }

    /// What the workers that are heard understand, this one included.
    public Map<String, Integer> live() {
        Set<String> heard = keeper.live();
        contracts.keySet().retainAll(heard);
        Map<String, Integer> live = new HashMap<>();
        heard.forEach(worker -> live.put(worker, contracts.getOrDefault(worker, JobContract.FIRST)));
        live.put(keeper.self(), rules.contract());
        return live;
    }

    /// The workers that understand a contract.
    public static Set<String> able(int contract, Map<String, Integer> workers) {
        Map<String, Integer> able = new HashMap<>(workers);
        able.values().removeIf(understood -> understood < contract);
        return able.keySet();
    }
}
