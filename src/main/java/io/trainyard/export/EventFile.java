package io.trainyard.export;

import io.trainyard.protobuf.ProtobufWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/// An event file of TensorBoard: records of length, its checksum, an `Event`, its checksum. The fields are
/// those of TensorFlow's `event.proto`, `summary.proto` and `tensor.proto`.
final class EventFile {
    private static final int DT_STRING = 7;
    private static final int CHECKSUM_MASK = 0xa282ead8;

    private final OutputStream out;

    EventFile(OutputStream out) {
        this.out = out;
    }

    /// The first record of a file.
    void header(double seconds) throws IOException {
        write(new ProtobufWriter().real(1, seconds).text(3, "brain.Event:2"));
    }

    void scalar(String tag, long step, double seconds, float value) throws IOException {
        summary(step, seconds, new ProtobufWriter().text(1, tag).real(2, value));
    }

    /// Two scalars in one record: it holds both or, cut off, none.
    void scalars(long step, double seconds, String tag, float value, String otherTag, float otherValue)
            throws IOException {
        ProtobufWriter summary = new ProtobufWriter()
                .message(1, new ProtobufWriter().text(1, tag).real(2, value))
                .message(1, new ProtobufWriter().text(1, otherTag).real(2, otherValue));
        write(new ProtobufWriter().real(1, seconds).number(2, step).message(5, summary));
    }

    /// A text, which TensorBoard shows as Markdown.
    void text(String tag, double seconds, String markdown) throws IOException {
        ProtobufWriter plugin = new ProtobufWriter().text(1, "text");
        ProtobufWriter shape = new ProtobufWriter().message(2, new ProtobufWriter().number(1, 1));
        ProtobufWriter tensor =
                new ProtobufWriter().number(1, DT_STRING).message(2, shape).text(8, markdown);
        summary(
                0,
                seconds,
                new ProtobufWriter()
                        .text(1, tag + "/text_summary")
                        .message(8, tensor)
                        .message(9, new ProtobufWriter().message(1, plugin)));
    }

    private void summary(long step, double seconds, ProtobufWriter value) throws IOException {
        write(new ProtobufWriter().real(1, seconds).number(2, step).message(5, new ProtobufWriter().message(1, value)));
    }

    private void write(ProtobufWriter event) throws IOException {
        byte[] data = event.bytes();
        byte[] length = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(data.length)
                .array();
        out.write(length);
        out.write(checksum(length));
        out.write(data);
        out.write(checksum(data));
    }

    private static byte[] checksum(byte[] data) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(checksumOf(data, data.length))
                .array();
    }

    /// As TFRecord has it: masked, for a checksum over data that holds checksums would be weak.
    ///
    /// @param length of the part that it is of, from the beginning
    static int checksumOf(byte[] data, int length) {
        CRC32C crc = new CRC32C();
        crc.update(data, 0, length);
        return Integer.rotateRight((int) crc.getValue(), 15) + CHECKSUM_MASK;
    }
}
