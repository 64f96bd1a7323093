package io.trainyard.data.image;

/// PIL's `resize(size, BILINEAR)`, bit for bit: a triangle filter as wide as the scale (torchvision calls it
/// antialias), first along rows, then along columns, rounded to bytes in between, with weights of 22 bits
/// (Pillow's `Resample.c`).
final class Resampling {
    private static final int PRECISION_BITS = 32 - 8 - 2;
    private static final int HALF = 1 << (PRECISION_BITS - 1);

    private Resampling() {}

    static DecodedImage resize(DecodedImage picture, ImageSize size) {
        DecodedImage narrowed = picture.size().width() == size.width() ? picture : alongRows(picture, size.width());
        return narrowed.size().height() == size.height() ? narrowed : alongColumns(narrowed, size.height());
    }

    private static DecodedImage alongRows(DecodedImage picture, int width) {
        int channels = picture.channels();
        int height = picture.size().height();
        Weights weights = Weights.of(picture.size().width(), width);
        byte[] from = picture.pixels();
        byte[] to = new byte[height * width * channels];
        for (int y = 0, at = 0; y < height; y++) {
            int row = y * picture.size().width() * channels;
            for (int x = 0; x < width; x++) {
                int first = row + weights.first[x] * channels;
                for (int c = 0; c < channels; c++) {
                    int sum = HALF;
                    for (int k = 0, i = first + c; k < weights.count[x]; k++, i += channels) {
                        sum += (from[i] & 0xff) * weights.weight[x * weights.most + k];
                    }
                    to[at++] = clipped(sum);
                }
            }
        }
        return new DecodedImage(new ImageSize(width, height), channels, to);
    }

    private static DecodedImage alongColumns(DecodedImage picture, int height) {
        int row = picture.size().width() * picture.channels();
        Weights weights = Weights.of(picture.size().height(), height);
        byte[] from = picture.pixels();
        byte[] to = new byte[height * row];
        for (int y = 0; y < height; y++) {
            int first = weights.first[y] * row;
            for (int i = 0; i < row; i++) {
                int sum = HALF;
                for (int k = 0; k < weights.count[y]; k++) {
                    sum += (from[first + k * row + i] & 0xff) * weights.weight[y * weights.most + k];
                }
                to[y * row + i] = clipped(sum);
            }
        }
        return new DecodedImage(new ImageSize(picture.size().width(), height), picture.channels(), to);
    }

    private static byte clipped(int sum) {
        return (byte) Math.clamp(sum >> PRECISION_BITS, 0, 255);
    }

    /// The weights of the old pixels in each new one.
    private static final class Weights {
        final int most;
        final int[] first;
        final int[] count;
        final int[] weight; // (new pixels, most)

        private Weights(int pixels, int most) {
            this.most = most;
            first = new int[pixels];
            count = new int[pixels];
            weight = new int[pixels * most];
        }

        static Weights of(int before, int after) {
            double scale = (double) before / after;
            double support = Math.max(scale, 1.0);
            Weights weights = new Weights(after, (int) Math.ceil(support) * 2 + 1);
            double[] exact = new double[weights.most];
            for (int i = 0; i < after; i++) {
                double center = (i + 0.5) * scale;
                int first = Math.max((int) (center - support + 0.5), 0);
                int count = Math.min((int) (center + support + 0.5), before) - first;
                double sum = 0;
                for (int k = 0; k < count; k++) {
                    double distance = Math.abs((k + first - center + 0.5) * (1.0 / support));
                    exact[k] = distance < 1.0 ? 1.0 - distance : 0.0;
                    sum += exact[k];
                }
                for (int k = 0; k < count; k++) {
                    weights.weight[i * weights.most + k] = (int) (0.5 + exact[k] / sum * (1 << PRECISION_BITS));
                }
                weights.first[i] = first;
                weights.count[i] = count;
            }
            return weights;
        }
    }
}
