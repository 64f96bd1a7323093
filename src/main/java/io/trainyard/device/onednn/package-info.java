/// Sessions computed by oneDNN, called through JavaCPP. Both are used only in this package.
///
/// A session compiles its network once into lists of operations over fixed memories ([Program]); a step only runs
/// them. oneDNN chooses the layouts, which are kept from layer to layer; a reorder is added only between two layers
/// with different layouts. All native objects of a session belong to its [Engine], and closing that frees them.
///
/// Results are the same bits for the same thread count: primitives are selected by shapes, the instruction set and
/// the number of threads, never by timing.
@NullMarked
package io.trainyard.device.onednn;

import org.jspecify.annotations.NullMarked;
