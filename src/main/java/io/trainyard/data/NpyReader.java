package io.trainyard.data;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads numpy arrays (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1 to 3,
/// of numbers, in C order. Files are mapped, so unused data is not read. Objects, which are pickled Python, are
/// never read.
final class NpyReader {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

    /// Magic, version and a header length of two bytes; later versions have two more bytes.
    private static final int PREFIX_BYTES = 10;

    /// numpy writes about 118; a longer header is not of an array of numbers.
    private static final int MAX_HEADER_BYTES = 10_000;

    /// The keys may be in any order.
    private static final Pattern DESCR = Pattern.compile("'descr':\\s*'([<>|=]?)([a-zA-Z?])(\\d{1,2})'");
    private static final Pattern FORTRAN = Pattern.compile("'fortran_order':\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape':\\s*\\(([\\d\\sL,]*)\\)");

    private NpyReader() {}

    record Header(NumberType type, List<Long> shape, long bytes) {
        long dataBytes() {
            return Math.multiplyExact(NumberArray.elements(shape), type.bytes());
        }
    }

    /// Maps the array of a file.
    ///
    /// @param name for messages
    /// @throws DatasetException if it is not an array of numbers, or is shorter or longer than its header says
    static NumberArray read(Path file, String name) {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer begin = ByteBuffer.allocate((int) Math.min(channel.size(), PREFIX_BYTES + 2 + MAX_HEADER_BYTES));
            while (begin.hasRemaining() && channel.read(begin) >= 0) {}
            Header header = header(file, name, new ByteArrayInputStream(begin.array(), 0, begin.position()));
            long expected = header.bytes() + header.dataBytes();
            if (channel.size() != expected) {
                throw DataFiles.wrong(
                        file,
                        "%d bytes".formatted(channel.size()),
                        "%d, as its header states (%s of %s)".formatted(expected, header.type(), header.shape()));
            }
            MemorySegment all = channel.map(MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
            return new NumberArray(file, name, header.type(), header.shape(), all.asSlice(header.bytes()));
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    /// Reads only the header.
    ///
    /// @throws DatasetException if it is not the header of an array of numbers
    static Header header(Path file, String name, InputStream in) throws IOException {
        byte[] prefix = in.readNBytes(PREFIX_BYTES);
        if (prefix.length < PREFIX_BYTES || !Arrays.equals(prefix, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            throw DataFiles.wrong(
                    file,
                    "%s that begins with %s".formatted(name, HexFormat.of().formatHex(prefix)),
                    "an array as numpy.save writes it, which begins with 934e554d5059");
        }
        boolean isShort = prefix[6] == 1;
        byte[] more = in.readNBytes(isShort ? 0 : 2);
        if (prefix[6] < 1 || prefix[6] > 3 || more.length != (isShort ? 0 : 2)) {
            throw DataFiles.wrong(file, "%s of version %d of numpy's format".formatted(name, prefix[6]), "1 to 3");
        }
        ByteBuffer lengthBytes = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(prefix, 8, 2)
                .put(more);
        int length = lengthBytes.getInt(0);
        if (length < 0 || length > MAX_HEADER_BYTES) {
            throw DataFiles.wrong(
                    file,
                    "%s with a header of %d bytes".formatted(name, Integer.toUnsignedLong(length)),
                    "at most %d".formatted(MAX_HEADER_BYTES));
        }
        byte[] text = in.readNBytes(length);
        if (text.length != length) {
            throw DataFiles.wrong(file, "an end within the header of " + name, "a whole file");
        }
        String header = new String(text, StandardCharsets.UTF_8);
        return new Header(type(file, name, header), shape(file, name, header), PREFIX_BYTES + more.length + length);
    }

    private static NumberType type(Path file, String name, String header) {
        Matcher descr = DESCR.matcher(header);
        @Nullable NumberType type = null;
        if (descr.find()) {
            ByteOrder order = descr.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
            type = type(descr.group(2), Integer.parseInt(descr.group(3)), order);
        }
        if (type == null) {
            throw DataFiles.wrong(
                    file,
                    "%s with the header %s".formatted(name, DataFiles.printable(header)),
                    "numbers: uint8, float32, or other integers and floats of up to 64 bits");
        }
        Matcher fortran = FORTRAN.matcher(header);
        if (!fortran.find() || fortran.group(1).equals("True")) {
            throw DataFiles.wrong(
                    file, "%s in Fortran order".formatted(name), "C order; save numpy.ascontiguousarray(array)");
        }
        return type;
    }

    private static @Nullable NumberType type(String kind, int bytes, ByteOrder order) {
        boolean power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
        return switch (kind) {
            case "b" -> bytes == 1 ? NumberType.signed(1, order) : null; // true is 1
            case "u" -> power ? NumberType.unsigned(bytes, order) : null;
            case "i" -> power ? NumberType.signed(bytes, order) : null;
            case "f" -> power && bytes > 1 ? NumberType.floating(bytes, order) : null;
            default -> null;
        };
    }

    private static List<Long> shape(Path file, String name, String header) {
        Matcher found = SHAPE.matcher(header);
        if (!found.find()) {
            throw DataFiles.wrong(
                    file, "%s with the header %s".formatted(name, DataFiles.printable(header)), "a shape");
        }
        List<Long> shape = new ArrayList<>();
        try {
            for (String size : found.group(1).replace("L", "").split(",")) {
                if (!size.isBlank()) {
                    shape.add(Long.parseLong(size.strip()));
                }
            }
            DataFiles.requireSizes(file, name, shape);
        } catch (NumberFormatException e) {
            throw DataFiles.wrong(file, "%s of shape (%s)".formatted(name, found.group(1)), "sizes that fit memory", e);
        }
        return shape;
    }
}
