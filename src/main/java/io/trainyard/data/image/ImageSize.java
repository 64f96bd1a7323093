package io.trainyard.data.image;

public record ImageSize(int width, int height) {
    /// The largest side: the limit of JPEG and of the other supported headers, and more than any camera produces.
    public static final int MAX_SIDE = 65_535;

    /// PIL's limit for warnings of a "decompression bomb" (`Image.MAX_IMAGE_PIXELS`): a gigabyte / 4 / 3.
    public static final long MAX_PIXELS = 89_478_485;

    /// Checks the size of a header before any memory is allocated for it.
    ///
    /// @throws BrokenPictureException if it is out of bounds
    static ImageSize checked(long width, long height) {
        if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
            throw new BrokenImageException("its header states %d x %d pixels; allowed are 1 to %d a side and %d in all"
                    .formatted(width, height, MAX_SIDE, MAX_PIXELS));
        }
        return new ImageSize((int) width, (int) height);
    }

    public int pixels() {
        return width * height;
    }

    @Override
    public String toString() {
        return width + " x " + height;
    }
}
