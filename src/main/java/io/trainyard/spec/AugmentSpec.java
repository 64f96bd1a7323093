package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import org.jspecify.annotations.Nullable;

/// Augmentation of training images in every epoch: crop, then flip, then cutout, each if present. Test images are
/// not augmented.
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AugmentSpec(
        @Nullable RandomCrop randomCrop,
        @Nullable HorizontalFlip horizontalFlip,
        @Nullable Cutout cutout) {
    public static final AugmentSpec NONE = new AugmentSpec(null, null, null);

    @JsonCreator
    static AugmentSpec read(
            @Nullable RandomCrop randomCrop, @Nullable HorizontalFlip horizontalFlip, @Nullable Cutout cutout) {
        AugmentSpec spec = new AugmentSpec(randomCrop, horizontalFlip, cutout);
        if (spec.isNone()) {
            throw new InvalidJobException(
                    "dataset.augment is empty; give it randomCrop, horizontalFlip or cutout, or leave it out");
        }
        return spec;
    }

    @JsonIgnore
    public boolean isNone() {
        return equals(NONE);
    }

    /// Adds a border of black pixels, and crops an area of the image's size at a random place: torchvision's
    /// `RandomCrop(size, padding)`.
    ///
    /// @param padding the border's width in pixels
    public record RandomCrop(
            @Required("dataset.augment.randomCrop.padding") int padding) {
        public RandomCrop {
            Check.between("dataset.augment.randomCrop.padding", padding, 1, 256);
        }
    }

    /// Mirrors the image horizontally with probability `p`: torchvision's `RandomHorizontalFlip(p)`.
    public record HorizontalFlip(@Default("0.5") double p) {
        public HorizontalFlip {
            if (!(p >= 0 && p <= 1)) {
                throw new InvalidJobException(
                        "dataset.augment.horizontalFlip.p is %s; allowed is 0.0 to 1.0".formatted(p));
            }
        }
    }

    /// Sets a square to zero after scaling and normalization. Its centre is anywhere in the image, so a part of
    /// it may be outside: DeVries and Taylor 2017, "Improved Regularization of Convolutional Neural Networks with
    /// Cutout", as in their published code.
    ///
    /// @param size the square's side in pixels. Even: their code cuts `size // 2` to either side of the centre,
    ///     so an odd size would cut one pixel less
    public record Cutout(
            @Required("dataset.augment.cutout.size") int size) {
        public Cutout {
            if (size < 2 || size > 512 || size % 2 != 0) {
                throw new InvalidJobException(
                        "dataset.augment.cutout.size is %d; allowed is an even number, 2 to 512".formatted(size));
            }
        }
    }
}
