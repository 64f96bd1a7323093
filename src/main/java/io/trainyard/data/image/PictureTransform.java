package io.trainyard.data.image;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is done to a decoded picture, in this order: `Grayscale()`, `Resize(resize)`,
/// `CenterCrop(centerCrop)` of torchvision on PIL's images, each if it is there, with the same sizes and
/// the same bytes.
///
/// @param grey whether it becomes grey; else it becomes red, green, blue
/// @param resize (height, width), or the smaller side alone
/// @param centerCrop (height, width), or the side of a square
public record PictureTransform(
        boolean grey,
        @Nullable List<Integer> resize,
        @Nullable List<Integer> centerCrop) {
    public PictureTransform {
        resize = resize == null ? null : List.copyOf(resize);
        centerCrop = centerCrop == null ? null : List.copyOf(centerCrop);
    }

    /// 3 or 1.
    public int channels() {
        return grey ? 1 : 3;
    }

    /// The size that a picture of this size is given.
    ///
    /// @throws BrokenPictureException if it would be too large on the way: the picture is very long and
    ///     thin
    public PictureSize sizeOf(PictureSize picture) {
        return centerCrop == null ? resized(picture) : cropped(centerCrop);
    }

    public Picture apply(Picture picture) {
        Picture coloured = grey ? picture.grey() : picture.rgb();
        Picture resized = Resampling.resize(coloured, resized(picture.size()));
        return centerCrop == null ? resized : crop(resized, cropped(centerCrop));
    }

    private PictureSize resized(PictureSize from) {
        if (resize == null) {
            return from;
        }
        int height = resize.getFirst();
        if (resize.size() == 2) {
            return PictureSize.checked(resize.getLast(), height);
        }
        boolean upright = from.width() <= from.height();
        int shorter = upright ? from.width() : from.height();
        int longer = upright ? from.height() : from.width();
        long other = (long) ((double) ((long) height * longer) / shorter); // Python's int(a * b / c)
        return upright ? PictureSize.checked(height, other) : PictureSize.checked(other, height);
    }

    private static PictureSize cropped(List<Integer> sides) {
        return new PictureSize(sides.getLast(), sides.getFirst());
    }

    /// Half a pixel too many goes where Python's `round` puts it, to the even number; what is outside the
    /// picture is black.
    private static Picture crop(Picture picture, PictureSize to) {
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
        return new Picture(to, channels, pixels);
    }

    /// Where the part begins; below 0 where there is less than is asked for, and torchvision pads.
    private static int offset(int has, int asked) {
        return has < asked ? -((asked - has) / 2) : (int) Math.rint((has - asked) / 2.0);
    }
}
