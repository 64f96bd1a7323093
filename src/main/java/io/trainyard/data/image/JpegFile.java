package io.trainyard.data.image;

import java.awt.image.Raster;
import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/// A JPEG reduced to what its pixels need. The JDK decodes the components; their colour space is determined here,
/// as libjpeg does for PIL. The JDK determines it differently, and would apply a colour profile.
///
/// @param components 1, 3 or 4
/// @param colours the colour space
/// @param essence the same picture as a file without texts, profiles and thumbnails
record JpegFile(ImageSize size, int components, Colours colours, byte[] essence) implements ImageFile {
    enum Colours {
        GREY,
        RGB,
        YCC,
        CMYK,
        YCCK
    }

    /// A progressive JPEG has about ten scans. A scan of a few bytes can cost a pass over all pixels.
    static final int MAX_SCANS = 100;

    private static final int ADOBE = 0xee;
    private static final int JFIF = 0xe0;
    private static final int SCAN = 0xda;
    private static final int END = 0xd9;

    static JpegFile open(byte[] file) {
        Parser parser = new Parser(file);
        parser.run();
        if (parser.size == null) {
            throw new BrokenImageException("it is a JPEG without a picture");
        }
        return new JpegFile(parser.size, parser.components, parser.colours(), parser.essence.toByteArray());
    }

    @Override
    public int bytesPerPixel() {
        return 11; // 8 for decoded CMYK, and 3
    }

    @Override
    public DecodedImage decode() {
        Raster raster = ImageIoReader.raster(ImageIoReader.ofJdk("jpeg"), essence);
        Rasters.requireSize(raster, size);
        if (raster.getNumBands() != components) {
            throw new BrokenImageException(
                    "it is a JPEG of %d components whose header states %d".formatted(raster.getNumBands(), components));
        }
        byte[] samples =
                (byte[]) raster.getDataElements(raster.getMinX(), raster.getMinY(), size.width(), size.height(), null);
        return JpegColours.picture(size, colours, samples);
    }

    /// Parses the markers (ITU-T T.81, annex B).
    private static final class Parser {
        final byte[] file;
        final ByteArrayOutputStream essence;

        @Nullable
        ImageSize size;

        int components;
        int firstId;
        int secondId;
        int thirdId;
        boolean jfif;
        int adobeTransform = -1;
        int scans;

        Parser(byte[] file) {
            this.file = file;
            essence = new ByteArrayOutputStream(file.length);
        }

        void run() {
            essence.write(file, 0, 2);
            int at = 2;
            while (true) {
                if (Bytes.unsignedByte(file, at) != 0xff) {
                    throw new BrokenImageException("it is a JPEG without a marker at byte " + at);
                }
                int marker = Bytes.unsignedByte(file, at + 1);
                if (marker == 0xff) { // fill bytes may precede a marker
                    at++;
                    continue;
                }
                if (marker == END) {
                    essence.write(file, at, 2);
                    return;
                }
                int end = at + 2 + Bytes.shortBig(file, at + 2);
                if (end > file.length) {
                    throw cutShort();
                }
                segment(marker, at + 4);
                end = marker == SCAN ? endOfScan(end) : end;
                boolean ignored = marker >= JFIF && marker <= 0xef || marker == 0xfe;
                if (!ignored) {
                    essence.write(file, at, end - at);
                }
                at = end;
            }
        }

        private void segment(int marker, int from) {
            if (marker == JFIF) {
                jfif |= isText(from, "JFIF");
            } else if (marker == ADOBE && isText(from, "Adobe")) {
                adobeTransform = Bytes.unsignedByte(file, from + 11);
            } else if (marker == SCAN) {
                requireFewScans();
            } else if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
                frame(from);
            }
        }

        private void requireFewScans() {
            if (++scans > MAX_SCANS) {
                throw new BrokenImageException("it is a JPEG of more than %d scans".formatted(MAX_SCANS));
            }
        }

        private void frame(int from) {
            if (size != null) {
                throw new BrokenImageException("it is a JPEG with two frames");
            }
            if (Bytes.unsignedByte(file, from) != 8) {
                throw new BrokenImageException(
                        "it is a JPEG of %d bits a sample; save it with 8".formatted(Bytes.unsignedByte(file, from)));
            }
            size = ImageSize.checked(Bytes.shortBig(file, from + 3), Bytes.shortBig(file, from + 1));
            components = Bytes.unsignedByte(file, from + 5);
            if (components != 1 && components != 3 && components != 4) {
                throw new BrokenImageException(
                        "it is a JPEG of %d components; allowed are 1, 3 and 4".formatted(components));
            }
            firstId = Bytes.unsignedByte(file, from + 6);
            secondId = components == 1 ? 0 : Bytes.unsignedByte(file, from + 9);
            thirdId = components == 1 ? 0 : Bytes.unsignedByte(file, from + 12);
        }

        /// In a scan, a byte 0xff is followed by 0 or by a restart marker.
        private int endOfScan(int from) {
            for (int at = from; at < file.length - 1; at++) {
                int next = file[at] == (byte) 0xff ? Bytes.unsignedByte(file, at + 1) : 0;
                boolean goesOn = next == 0 || next == 0xff || next >= 0xd0 && next <= 0xd7;
                if (!goesOn) {
                    return at;
                }
            }
            throw cutShort();
        }

        private static BrokenImageException cutShort() {
            return new BrokenImageException("it is a JPEG that is cut short");
        }

        private boolean isText(int from, String text) {
            for (int i = 0; i < text.length(); i++) {
                if (Bytes.unsignedByte(file, from + i) != text.charAt(i)) {
                    return false;
                }
            }
            return true;
        }

        /// The rule of libjpeg's `default_decompress_parms`.
        Colours colours() {
            return switch (components) {
                case 1 -> Colours.GREY;
                case 4 -> adobeTransform == 2 ? Colours.YCCK : Colours.CMYK;
                default -> {
                    boolean letters = firstId == 'R' && secondId == 'G' && thirdId == 'B';
                    boolean rgb = !jfif && (adobeTransform >= 0 ? adobeTransform == 0 : letters);
                    yield rgb ? Colours.RGB : Colours.YCC;
                }
            };
        }
    }
}
