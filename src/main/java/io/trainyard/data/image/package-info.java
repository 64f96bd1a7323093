/// Folders of images as in torchvision's `ImageFolder`: listing, decoding and PIL's resizing. Pixels equal PIL's
/// bit for bit, except for JPEG and lossy WebP, where the decoders differ.
@NullMarked
package io.trainyard.data.image;

import org.jspecify.annotations.NullMarked;
