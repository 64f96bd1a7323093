/// Folders of images as torchvision's `ImageFolder` reads them: the listing, the decoding, PIL's resizing.
/// Pixels are those that PIL gives, bit for bit but for JPEG and lossy WebP, whose decoders differ.
@NullMarked
package io.trainyard.data.image;

import org.jspecify.annotations.NullMarked;
