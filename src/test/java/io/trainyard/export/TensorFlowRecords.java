package io.trainyard.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tensorflow.util.Event;

/// Reads event files with TensorFlow's own messages, and verifies every checksum.
public final class TensorFlowRecords {
    private static final int CASTAGNOLI = 0x82f63b78; // the reversed polynomial

    private TensorFlowRecords() {}

    public static List<Event> read(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<Event> events = new ArrayList<>();
        while (bytes.hasRemaining()) {
            byte[] length = new byte[8];
            bytes.get(length);
            assertThat(bytes.getInt()).as("of the length").isEqualTo(masked(length));
            byte[] data = new byte
                    [Math.toIntExact(ByteBuffer.wrap(length)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getLong())];
            bytes.get(data);
            assertThat(bytes.getInt()).as("of the data").isEqualTo(masked(data));
            events.add(Event.parseFrom(data));
        }
        return events;
    }

    private static int masked(byte[] data) {
        int crc = ~0;
        for (byte b : data) {
            crc ^= b & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >>> 1 ^ ((crc & 1) == 0 ? 0 : CASTAGNOLI);
            }
        }
        int sum = ~crc;
        return (sum >>> 15 | sum << 17) + 0xa282ead8;
    }
}
