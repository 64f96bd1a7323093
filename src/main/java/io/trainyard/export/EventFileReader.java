package io.trainyard.export;

import io.trainyard.protobuf.ProtobufReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/// Reads the scalars of an event file as written by PyTorch (a number) or TensorFlow 2 (a tensor with one
/// element). Other records are skipped. A truncated file is read up to its last complete record.
final class EventFileReader {
    private static final int HEADER = Long.BYTES + Integer.BYTES;
    private static final int MAX_RECORD = 64 << 20;
    private static final int BUFFER = 1 << 16;
    private static final int DT_FLOAT = 1;
    private static final int DT_DOUBLE = 2;

    private EventFileReader() {}

    /// @return how many bytes of it are whole records
    /// @throws IOException if it is no event file, or damaged
    static long read(Path file, Consumer<Scalar> reader) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER)) {
            long position = 0;
            while (true) {
                byte[] header = in.readNBytes(HEADER);
                if (header.length < HEADER) {
                    return position;
                }
                ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
                long length = fields.getLong();
                require(fields.getInt() == EventFile.checksumOf(header, Long.BYTES), file, position);
                require(length >= 0 && length <= MAX_RECORD, file, position);
                byte[] data = in.readNBytes((int) length);
                byte[] sum = in.readNBytes(Integer.BYTES);
                if (sum.length < Integer.BYTES) {
                    return position;
                }
                int expected =
                        ByteBuffer.wrap(sum).order(ByteOrder.LITTLE_ENDIAN).getInt();
                require(expected == EventFile.checksumOf(data, data.length), file, position);
                readEvent(ByteBuffer.wrap(data), reader);
                position += HEADER + length + Integer.BYTES;
            }
        }
    }

    private static void require(boolean well, Path file, long position) throws IOException {
        if (!well) {
            throw new IOException("%s is damaged, or no event file: the record at byte %d".formatted(file, position));
        }
    }

    private static void readEvent(ByteBuffer bytes, Consumer<Scalar> reader) throws IOException {
        ProtobufReader event = new ProtobufReader(bytes);
        double seconds = 0;
        long step = 0;
        ByteBuffer summary = ByteBuffer.allocate(0);
        while (event.next()) {
            switch (event.field()) {
                case 1 -> seconds = event.real64();
                case 2 -> step = event.number();
                case 5 -> summary = event.content();
                default -> event.skip();
            }
        }
        ProtobufReader values = new ProtobufReader(summary);
        while (values.next()) {
            if (values.field() == 1) {
                readValue(values.content(), step, seconds, reader);
            } else {
                values.skip();
            }
        }
    }

    private static void readValue(ByteBuffer bytes, long step, double seconds, Consumer<Scalar> reader)
            throws IOException {
        ProtobufReader value = new ProtobufReader(bytes);
        String tag = "";
        OptionalDouble number = OptionalDouble.empty();
        while (value.next()) {
            switch (value.field()) {
                case 1 -> tag = value.text();
                case 2 -> number = OptionalDouble.of(value.real32());
                case 8 -> number = tensor(value.content());
                default -> value.skip();
            }
        }
        if (number.isPresent()) {
            reader.accept(new Scalar(tag, step, seconds, (float) number.getAsDouble()));
        }
    }

    /// The number of a tensor that is one; empty for another.
    private static OptionalDouble tensor(ByteBuffer bytes) throws IOException {
        ProtobufReader tensor = new ProtobufReader(bytes);
        long type = 0;
        ByteBuffer content = ByteBuffer.allocate(0);
        while (tensor.next()) {
            switch (tensor.field()) {
                case 1 -> type = tensor.number();
                case 4, 5, 6 -> content = tensor.content(); // as bytes, or packed floats, or packed doubles
                default -> tensor.skip();
            }
        }
        content.order(ByteOrder.LITTLE_ENDIAN);
        if (type == DT_FLOAT && content.remaining() == Float.BYTES) {
            return OptionalDouble.of(content.getFloat());
        }
        if (type == DT_DOUBLE && content.remaining() == Double.BYTES) {
            return OptionalDouble.of(content.getDouble());
        }
        return OptionalDouble.empty();
    }
}
