package io.trainyard.device;

import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.AugmentSpec.Cutout;
import io.trainyard.spec.AugmentSpec.HorizontalFlip;
import io.trainyard.spec.AugmentSpec.RandomCrop;
import io.trainyard.spec.Shape;
import org.junit.jupiter.api.Test;

/// Results on float32 datasets equal the reference's.
public interface FloatSamplesContract extends TestedDevice {
    @Test
    default void trainsRowsOfNumbersAsTheReferenceDoes() {
        NumbersContract.checkTraining(device(), RowsWorkload.ofValues(11, 260));
    }

    @Test
    default void augmentsImagesOfNumbersAsTheReferenceDoes() {
        AugmentSpec augment = new AugmentSpec(new RandomCrop(2), new HorizontalFlip(0.5), new Cutout(4));
        NumbersContract.checkTraining(device(), RowsWorkload.ofImages(Shape.of(2, 9, 6), augment));
    }
}
