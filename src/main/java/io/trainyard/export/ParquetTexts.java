package io.trainyard.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.apache.parquet.format.Statistics;
import org.jspecify.annotations.Nullable;

/// Dictionary-encoded texts, with a dictionary per row group. Rows of one job are adjacent, so the previous
/// text is compared first.
final class ParquetTexts extends ValuesWriter {
    private static final int SLAB = 1 << 12;
    private static final int MAX_SLAB = 1 << 20;

    /// Of a text in the statistics, in bytes.
    private static final int MAX_STATISTIC = 1000;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final ByteArrayOutputStream dictionary = new ByteArrayOutputStream();
    private int[] page = new int[1 << 10];
    private int size;
    private @Nullable String last;
    private int lastNumber;
    private byte[] min = new byte[0];
    private byte[] max = new byte[0];

    void write(String text) {
        if (!text.equals(last)) {
            last = text;
            Integer known = numbers.get(text);
            lastNumber = known == null ? add(text) : known;
        }
        if (size == page.length) {
            page = Arrays.copyOf(page, 2 * size);
        }
        page[size++] = lastNumber;
    }

    private int add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        dictionary.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(bytes.length)
                .array());
        dictionary.writeBytes(bytes);
        boolean first = numbers.isEmpty();
        min = first || Arrays.compareUnsigned(bytes, min) < 0 ? bytes : min;
        max = first || Arrays.compareUnsigned(bytes, max) > 0 ? bytes : max;
        numbers.put(text, numbers.size());
        return numbers.size() - 1;
    }

    int dictionarySize() {
        return numbers.size();
    }

    long dictionaryBytes() {
        return dictionary.size();
    }

    byte[] dictionary() {
        return dictionary.toByteArray();
    }

    /// So that readers may pass over row groups that cannot hold a job; empty where there are no texts or
    /// long ones.
    Optional<Statistics> minAndMax() {
        if (numbers.isEmpty() || min.length > MAX_STATISTIC || max.length > MAX_STATISTIC) {
            return Optional.empty();
        }
        Statistics statistics = new Statistics();
        statistics.setMin_value(min);
        statistics.setMax_value(max);
        return Optional.of(statistics);
    }

    /// The next row group has a dictionary of its own.
    void forget() {
        numbers.clear();
        dictionary.reset();
        last = null;
    }

    /// How many bits a number takes, then the numbers.
    @Override
    public BytesInput getBytes() {
        int greatest = Arrays.stream(page, 0, size).max().orElse(0);
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(greatest);
        try (RunLengthBitPackingHybridEncoder encoder =
                new RunLengthBitPackingHybridEncoder(bits, SLAB, MAX_SLAB, HeapByteBufferAllocator.getInstance())) {
            for (int i = 0; i < size; i++) {
                encoder.writeInt(page[i]);
            }
            return BytesInput.copy(BytesInput.concat(BytesInput.from(new byte[] {(byte) bits}), encoder.toBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException("it is written to memory", e);
        }
    }

    @Override
    public Encoding getEncoding() {
        return Encoding.RLE_DICTIONARY;
    }

    @Override
    public void reset() {
        size = 0;
    }

    @Override
    public long getBufferedSize() {
        return (long) size * Integer.BYTES;
    }

    @Override
    public long getAllocatedSize() {
        return (long) page.length * Integer.BYTES;
    }

    @Override
    public String memUsageString(String prefix) {
        return "%s %d texts, %d rows".formatted(prefix, numbers.size(), size);
    }
}
