package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.Network;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The channels of all branches, one branch after another.
final class CudaConcat extends CudaJoin {
    private final BatchTensor out;

    CudaConcat(Network.Layer layer, BatchTensor in, @Nullable CudaLayer before, Compilation c) {
        super(layer, in, before, false, c);
        boolean differentiable =
                branches.stream().anyMatch(branch -> branch.out().gradient() != null);
        out = c.output(layer.out(), differentiable, layer.name());
    }

    @Override
    public BatchTensor out() {
        return out;
    }

    @Override
    void join() {
        int first = 0;
        for (CudaChain branch : branches) {
            BatchTensor part = branch.out();
            copy(out.value(), width(out), first, part.value(), width(part), 0, part);
            first += width(part);
        }
    }

    @Override
    void split() {
        int first = 0;
        for (CudaChain branch : branches) {
            BatchTensor part = branch.out();
            Buffer wanted = part.gradient();
            if (wanted != null) {
                copy(wanted, width(part), 0, Objects.requireNonNull(out.gradient()), width(out), first, part);
            }
            first += width(part);
        }
    }

    /// Length of the rows in which a tensor is a matrix: its channels, of a sample or of a pixel.
    private int width(BatchTensor tensor) {
        return c.numbers().channelsLast() ? tensor.channels() : tensor.shape().elements();
    }

    /// Copies columns of a matrix to a place in another.
    private void copy(
            Buffer to, int toWidth, int toFirst, Buffer from, int fromWidth, int fromFirst, BatchTensor part) {
        c.kernels()
                .launch(
                        "copy_columns",
                        part.elements(),
                        to,
                        toWidth,
                        toFirst,
                        from,
                        fromWidth,
                        fromFirst,
                        width(part),
                        part.elements());
    }
}
