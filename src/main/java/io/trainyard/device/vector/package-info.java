/// Sessions computed by our own `jdk.incubator.vector` kernels, for networks too narrow for oneDNN, where blocks of
/// 16 channels would be mostly empty.
///
/// Every thread of the team runs its share of the batch through the whole network and back ([VectorShard]), a few
/// samples
/// at a time, so that activations stay in its core's cache; then the shares' gradients are summed in a fixed order
/// and the parameters updated. Threads synchronize twice a step instead of at every operator.
///
/// An image with its padding is one long row ([SampleGrid]): a tap of a convolution is a shift of that row, so all
/// three
/// passes are matrix products over shifted rows ([RowProduct], [DotProduct]) without copying to columns first.
///
/// Results are the same bits for the same thread count and vector length. Lanes are never summed by `reduceLanes`,
/// because its order is unspecified: interpreted and compiled code give different bits.
@NullMarked
package io.trainyard.device.vector;

import org.jspecify.annotations.NullMarked;
