/// Sessions computed by kernels of our own on `jdk.incubator.vector`, for networks too narrow for oneDNN, whose
/// blocks of 16 channels would be mostly empty.
///
/// Every thread of the team takes its share of the batch through the whole network and back ([Shard]), a few
/// samples at a time, so that activations stay in its core's cache; then the shares' gradients are summed in a
/// fixed order and the parameters updated. Threads meet twice a step instead of at every operator.
///
/// An image with its padding is one long row ([Grid]): a tap of a convolution is a shift of that row, so all
/// three passes are matrix products over shifted rows ([RowProduct], [DotProduct]) and nothing is copied into
/// columns first.
///
/// The same bits come out for the same thread count and vector length. Lanes are never summed by `reduceLanes`,
/// whose order is unspecified: interpreted and compiled code give different bits.
@NullMarked
package io.trainyard.device.vector;

import org.jspecify.annotations.NullMarked;
