package io.trainyard.data.image;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The transforms of a decoded picture, in this order: torchvision's `Grayscale()`, `Resize(resize)` and
/// `CenterCrop(centerCrop)` on PIL images, each if present, with the same sizes and bytes.
///
/// @param grey whether it is converted to grey; otherwise to RGB
/// @param resize (height, width), or the smaller side alone
/// @param centerCrop (height, width), or the side of a square
public record ImageTransform(
        boolean grey,
        @Nullable List<Integer> resize,
        @Nullable List<Integer> centerCrop) {
    public ImageTransform {
        resize = resize == null ? null : List.copyOf(resize);
        centerCrop = centerCrop == null ? null : List.copyOf(centerCrop);
    }

    public int channels() {
        return grey ? 1 : 3;
    }

    /// The size after the transforms.
    ///
    /// @throws BrokenPictureException if an intermediate size is too large, as for a very long and thin picture
    public ImageSize sizeOf(ImageSize picture) {
        return centerCrop == null ? resized(picture) : cropped(centerCrop);
    }

    public DecodedImage apply(DecodedImage picture) {
        DecodedImage coloured = grey ? picture.grey() : picture.rgb();
        DecodedImage resized = Resampling.resize(coloured, resized(picture.size()));
        return centerCrop == null ? resized : crop(resized, cropped(centerCrop));
    }

    private ImageSize resized(ImageSize from) {
        if (resize == null) {
            return from;
        }
        int height = resize.getFirst();
        if (resize.size() == 2) {
            return ImageSize.checked(resize.getLast(), height);
        }
        boolean upright = from.width() <= from.height();
        int shorter = upright ? from.width() : from.height();
        int longer = upright ? from.height() : from.width();
        long other = (long) ((double) ((long) height * longer) / shorter); // Python's int(a * b / c)
        return upright ? ImageSize.checked(height, other) : ImageSize.checked(other, height);
    }

    private static ImageSize cropped(List<Integer> sides) {
        return new ImageSize(sides.getLast(), sides.getFirst());
    }

    /// Rounds half a pixel to even, like Python's `round`; the area outside the picture is black.
    private static DecodedImage crop(DecodedImage picture, ImageSize to) {
        int left = offset(picture.size().width(), to.width());
        int top = offset(picture.size().height(), to.height());
        int channels = picture.channels();
        byte[] pixels = new byte[to.pixels() * channels];
        int first = Math.max(0, -left);
        int count = Math.min(to.width() - first, picture.size().width() - Math.max(0, left));
        for (int y = Math.max(0, -top); y < Math.min(to.height(), picture.size().height() - top); y++) {
            int from = (top + y) * picture.size().width() + left + first;
            System.arraycopy(
                    picture.pixels(), from * channels, pixels, (y * to.width() + first) * channels, count * channels);
        }
        return new DecodedImage(to, channels, pixels);
    }

    /// The offset of the crop; negative if the picture is smaller, which torchvision pads.
    private static int offset(int has, int asked) {
        return has < asked ? -((asked - has) / 2) : (int) Math.rint((has - asked) / 2.0);
    }
}
