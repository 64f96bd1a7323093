package io.trainyard.data.image;

import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32;

/// A PNG reduced to what its pixels need: header, palette, data, end. PIL's `convert("RGB")` also ignores
/// everything else (texts and colour profiles, which may be decompression bombs; gamma, transparency, animation),
/// so no decoder needs to read it.
///
/// @param essence the same picture as a file without them
record PngFile(ImageSize size, byte[] essence) implements ImageFile {
    private static final int IHDR = 0x4948_4452;
    private static final int PLTE = 0x504c_5445;
    private static final int IDAT = 0x4944_4154;
    private static final int IEND = 0x4945_4e44;
    private static final int SIGNATURE_BYTES = 8;
    private static final int FRAME_BYTES = 12; // length, type, CRC-32

    static PngFile open(byte[] file) {
        if ((int) Bytes.unsignedIntBig(file, SIGNATURE_BYTES + 4) != IHDR) {
            throw new BrokenImageException("it is a PNG that does not begin with its header");
        }
        ImageSize size = ImageSize.checked(
                Bytes.unsignedIntBig(file, SIGNATURE_BYTES + 8), Bytes.unsignedIntBig(file, SIGNATURE_BYTES + 12));
        ByteArrayOutputStream essence = new ByteArrayOutputStream(file.length);
        essence.write(file, 0, SIGNATURE_BYTES);
        int at = SIGNATURE_BYTES;
        int type;
        do {
            long length = Bytes.unsignedIntBig(file, at);
            if (length > file.length - at - FRAME_BYTES) {
                throw new BrokenImageException("it is a PNG that is cut short: it ends within the chunk at byte " + at);
            }
            type = (int) Bytes.unsignedIntBig(file, at + 4);
            if (type == IHDR || type == PLTE || type == IDAT || type == IEND) {
                requireChecksum(file, at, (int) length);
                essence.write(file, at, (int) length + FRAME_BYTES);
            }
            at += (int) length + FRAME_BYTES;
        } while (type != IEND);
        return new PngFile(size, essence.toByteArray());
    }

    private static void requireChecksum(byte[] file, int at, int length) {
        CRC32 crc = new CRC32();
        crc.update(file, at + 4, length + 4);
        if (crc.getValue() != Bytes.unsignedIntBig(file, at + 8 + length)) {
            throw new BrokenImageException("it is a PNG whose checksum is wrong in the chunk at byte " + at);
        }
    }

    @Override
    public int bytesPerPixel() {
        return 12; // up to 8 (16 bits, alpha) and 3
    }

    @Override
    public DecodedImage decode() {
        return Rasters.picture(ImageIoReader.image(ImageIoReader.ofJdk("png"), essence), size);
    }
}
