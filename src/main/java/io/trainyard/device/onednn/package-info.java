/// Sessions computed by oneDNN, called through JavaCPP. Only this package sees either.
///
/// A session compiles its network once into lists of operations over fixed memories ([Program]); a step only runs
/// them. Layouts are oneDNN's choice and stay from layer to layer; a reorder stands only where two layers disagree.
/// Everything native that a session makes belongs to its [Engine], and closing that frees it.
///
/// The same bits come out for the same thread count: primitives are chosen by shapes, the instruction set and the
/// number of threads, never by timing.
@NullMarked
package io.trainyard.device.onednn;

import org.jspecify.annotations.NullMarked;
