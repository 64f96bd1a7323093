package io.trainyard.data.image;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.util.Arrays;

/// A GIF's first frame on its screen.
///
/// @param size of the screen
/// @param frame size of the frame, placed at `left` and `top`
/// @param background the palette index around the frame: the transparent one, or 0
record GifFile(ImageSize size, ImageSize frame, int left, int top, int background, byte[] file) implements ImageFile {
    private static final int SCREEN = 6;
    private static final int FIRST_BLOCK = 13;
    private static final int EXTENSION = 0x21;
    private static final int GRAPHIC_CONTROL = 0xf9;
    private static final int IMAGE = 0x2c;

    static GifFile open(byte[] file) {
        ImageSize screen = ImageSize.checked(Bytes.shortLittle(file, SCREEN), Bytes.shortLittle(file, SCREEN + 2));
        int at = FIRST_BLOCK + paletteBytes(Bytes.unsignedByte(file, SCREEN + 4));
        int background = 0;
        while (Bytes.unsignedByte(file, at) == EXTENSION) {
            if (Bytes.unsignedByte(file, at + 1) == GRAPHIC_CONTROL && (Bytes.unsignedByte(file, at + 3) & 1) != 0) {
                background = Bytes.unsignedByte(file, at + 6);
            }
            at += 2;
            while (Bytes.unsignedByte(file, at) != 0) {
                at += 1 + Bytes.unsignedByte(file, at);
            }
            at++;
        }
        if (Bytes.unsignedByte(file, at) != IMAGE) {
            throw new BrokenImageException("it is a GIF without a frame");
        }
        int left = Bytes.shortLittle(file, at + 1);
        int top = Bytes.shortLittle(file, at + 3);
        ImageSize frame = ImageSize.checked(Bytes.shortLittle(file, at + 5), Bytes.shortLittle(file, at + 7));
        ImageSize size = ImageSize.checked(
                Math.max(screen.width(), left + frame.width()), Math.max(screen.height(), top + frame.height()));
        return new GifFile(size, frame, left, top, background, file);
    }

    private static int paletteBytes(int flags) {
        return (flags & 0x80) == 0 ? 0 : 3 * (2 << (flags & 7));
    }

    @Override
    public int bytesPerPixel() {
        return 8; // index, index on the screen, 3
    }

    @Override
    public DecodedImage decode() {
        BufferedImage image = ImageIoReader.image(ImageIoReader.ofJdk("gif"), file);
        Rasters.requireSize(image.getRaster(), frame);
        byte[] indices = Rasters.indices(image.getRaster());
        int[] colours = Rasters.colours((IndexColorModel) image.getColorModel());
        if (frame.equals(size)) {
            return Rasters.ofIndices(indices, size, colours);
        }
        byte[] screen = new byte[size.pixels()];
        Arrays.fill(screen, (byte) background);
        for (int y = 0; y < frame.height(); y++) {
            System.arraycopy(indices, y * frame.width(), screen, (top + y) * size.width() + left, frame.width());
        }
        return Rasters.ofIndices(screen, size, colours);
    }
}
