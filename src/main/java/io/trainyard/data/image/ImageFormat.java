package io.trainyard.data.image;

import java.util.Arrays;

/// The supported formats, detected like in PIL by a file's first bytes, regardless of its name.
enum ImageFormat {
    PNG {
        @Override
        boolean begins(byte[] file) {
            return startsWith(file, 0, 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n');
        }

        @Override
        ImageFile header(byte[] file) {
            return PngFile.open(file);
        }
    },
    JPEG {
        @Override
        boolean begins(byte[] file) {
            return startsWith(file, 0, 0xff, 0xd8, 0xff);
        }

        @Override
        ImageFile header(byte[] file) {
            return JpegFile.open(file);
        }
    },
    GIF {
        @Override
        boolean begins(byte[] file) {
            return startsWith(file, 0, 'G', 'I', 'F', '8', '7', 'a')
                    || startsWith(file, 0, 'G', 'I', 'F', '8', '9', 'a');
        }

        @Override
        ImageFile header(byte[] file) {
            return GifFile.open(file);
        }
    },
    BMP {
        @Override
        boolean begins(byte[] file) {
            return startsWith(file, 0, 'B', 'M');
        }

        @Override
        ImageFile header(byte[] file) {
            return BmpFile.open(file);
        }
    },
    WEBP {
        @Override
        boolean begins(byte[] file) {
            return startsWith(file, 0, 'R', 'I', 'F', 'F') && startsWith(file, 8, 'W', 'E', 'B', 'P');
        }

        @Override
        ImageFile header(byte[] file) {
            return WebpFile.open(file);
        }
    };

    abstract boolean begins(byte[] file);

    abstract ImageFile header(byte[] file);

    static ImageFile open(byte[] file) {
        ImageFormat format = Arrays.stream(values())
                .filter(each -> each.begins(file))
                .findFirst()
                .orElseThrow(() -> new BrokenImageException(
                        "it is not a PNG, JPEG, BMP, GIF or WebP; convert it to one of these, or remove it"));
        try {
            return format.header(file);
        } catch (IndexOutOfBoundsException e) { // a truncated header
            throw new BrokenImageException("it ends within its %s header".formatted(format), e);
        }
    }

    private static boolean startsWith(byte[] file, int from, int... magic) {
        if (file.length < from + magic.length) {
            return false;
        }
        for (int i = 0; i < magic.length; i++) {
            if ((file[from + i] & 0xff) != magic[i]) {
                return false;
            }
        }
        return true;
    }
}
