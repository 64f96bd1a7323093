package io.trainyard.data;

import io.trainyard.spec.Sha256;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// Finds samples that are equal byte by byte, by the first half of their SHA-256, for which no collision is
/// known. Training samples are numbered first, then test samples.
final class DuplicateSamples {
    /// Limits the heap: each sample takes about thirty bytes.
    static final int MOST_SAMPLES = 8_000_000;

    private static final int MAX_EXAMPLES = 5;

    private final int train;
    private final long[] hashes; // (samples, 2)

    /// @param train number of training samples
    /// @param all number of all samples, at most [#MOST_SAMPLES]
    DuplicateSamples(int train, int all) {
        this.train = train;
        this.hashes = new long[2 * all];
    }

    /// Thread-safe, if each sample is put once.
    void put(int sample, MemorySegment bytes) {
        ByteBuffer hash = ByteBuffer.wrap(digest(bytes));
        hashes[2 * sample] = hash.getLong();
        hashes[2 * sample + 1] = hash.getLong();
    }

    private static byte[] digest(MemorySegment bytes) {
        MessageDigest digest = Sha256.digest();
        digest.update(bytes.asByteBuffer());
        return digest.digest();
    }

    /// @param labels of all samples, negative for samples that are missing; empty without classes
    /// @param names of samples, for messages
    Inspection.Equal find(int[] labels, IntFunction<String> names) {
        int samples = hashes.length / 2;
        int[] table = new int[Integer.highestOneBit(Math.max(1, samples)) * 4]; // sample index + 1; 0: empty
        int inTrain = 0;
        int inTest = 0;
        int across = 0;
        int other = 0;
        List<String> examples = new ArrayList<>();
        for (int sample = 0; sample < samples; sample++) {
            if (labels.length > 0 && labels[sample] < 0) {
                continue;
            }
            int like = firstLike(sample, table);
            if (like == sample) {
                continue;
            }
            inTrain += sample < train ? 1 : 0;
            across += sample >= train && like < train ? 1 : 0;
            inTest += like >= train ? 1 : 0;
            boolean contradicts = labels.length > 0 && labels[sample] != labels[like];
            other += contradicts ? 1 : 0;
            if (examples.size() < MAX_EXAMPLES) {
                examples.add("%s is %s%s"
                        .formatted(names.apply(sample), names.apply(like), contradicts ? ", with another label" : ""));
            }
        }
        return new Inspection.Equal(inTrain, inTest, across, other, examples);
    }

    private int firstLike(int sample, int[] table) {
        int slot = (int) hashes[2 * sample] & (table.length - 1);
        while (table[slot] != 0) {
            int there = table[slot] - 1;
            if (hashes[2 * there] == hashes[2 * sample] && hashes[2 * there + 1] == hashes[2 * sample + 1]) {
                return there;
            }
            slot = (slot + 1) & (table.length - 1);
        }
        table[slot] = sample + 1;
        return sample;
    }
}
