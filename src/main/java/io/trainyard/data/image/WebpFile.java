package io.trainyard.data.image;

import com.twelvemonkeys.imageio.plugins.webp.WebPImageReaderSpi;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// A WebP reduced to its picture: alpha, colour profile and texts are removed, which `convert("RGB")` ignores.
/// The TwelveMonkeys reader is named by its class, because the readers that ImageIO finds depend on the class
/// loader.
///
/// @param lossy whether it is VP8, not VP8L
/// @param essence the same picture as a file of one chunk
record WebpFile(ImageSize size, boolean lossy, byte[] essence) implements ImageFile {
    private static final int VP8 = 0x2038_5056; // the four letters, little-endian
    private static final int VP8L = 0x4c38_5056;
    private static final int ANIM = 0x4d49_4e41;
    private static final int FIRST_CHUNK = 12;
    private static final int CHUNK_HEADER_BYTES = 8;

    static WebpFile open(byte[] file) {
        int at = FIRST_CHUNK;
        while (true) {
            int type = Bytes.intLittle(file, at);
            long length = Bytes.unsignedIntLittle(file, at + 4);
            int from = at + CHUNK_HEADER_BYTES;
            if (type == ANIM) {
                throw new BrokenImageException("it is an animated WebP; save one picture of it");
            }
            if (length > file.length - from) {
                throw new BrokenImageException(
                        "it is a WebP that is cut short: it ends within the chunk at byte " + at);
            }
            if (type == VP8 || type == VP8L) {
                ImageSize size = type == VP8 ? lossySize(file, from) : losslessSize(file, from);
                return new WebpFile(size, type == VP8, alone(file, at, (int) length));
            }
            at = Math.toIntExact(from + length + (length & 1));
        }
    }

    /// RFC 6386, 9.1: three bytes of flags, a start code, then 14 bits each.
    private static ImageSize lossySize(byte[] file, int from) {
        return ImageSize.checked(
                Bytes.shortLittle(file, from + 6) & 0x3fff, Bytes.shortLittle(file, from + 8) & 0x3fff);
    }

    /// A byte 0x2f, then 14 bits each, one less than the size.
    private static ImageSize losslessSize(byte[] file, int from) {
        int bits = Bytes.intLittle(file, from + 1);
        return ImageSize.checked((bits & 0x3fff) + 1L, (bits >>> 14 & 0x3fff) + 1L);
    }

    private static byte[] alone(byte[] file, int at, int length) {
        int padded = CHUNK_HEADER_BYTES + length + (length & 1);
        ByteBuffer alone = ByteBuffer.allocate(FIRST_CHUNK + padded).order(ByteOrder.LITTLE_ENDIAN);
        alone.put(file, 0, 4).putInt(4 + padded).put(file, 8, 4).put(file, at, CHUNK_HEADER_BYTES + length);
        return alone.array();
    }

    @Override
    public int bytesPerPixel() {
        return lossy ? 100 : 12; // the lossy decoder creates objects for each 4 x 4 pixels
    }

    @Override
    public DecodedImage decode() {
        if (lossy) {
            return LossyWebp.decode(
                    Arrays.copyOfRange(essence, FIRST_CHUNK + CHUNK_HEADER_BYTES, essence.length), size);
        }
        return Rasters.picture(ImageIoReader.image(new WebPImageReaderSpi().createReaderInstance(null), essence), size);
    }
}
