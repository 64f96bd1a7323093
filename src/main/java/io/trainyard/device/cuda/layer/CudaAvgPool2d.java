package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.CudaStatus;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.spec.Network;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Windows;
import java.util.Objects;
import jcuda.jcudnn.JCudnn;
import jcuda.jcudnn.cudnnPoolingDescriptor;
import jcuda.jcudnn.cudnnTensorDescriptor;

/// The mean of each window, by cuDNN, which requires that all windows fit into the padded image.
final class CudaAvgPool2d extends AbstractCudaLayer {
    private final String name;
    private final cudnnPoolingDescriptor pooling;
    private final cudnnTensorDescriptor x;
    private final cudnnTensorDescriptor y;

    /// Whether cuDNN supports such windows.
    static boolean computes(Pooling.AvgPool2d spec, Network.Layer layer) {
        Windows.Side rows = spec.windows().rows();
        Windows.Side columns = spec.windows().columns();
        return rows.needed(layer.in().size(1), layer.out().size(1)) == rows.after()
                && columns.needed(layer.in().size(2), layer.out().size(2)) == columns.after();
    }

    CudaAvgPool2d(Pooling.AvgPool2d spec, Network.Layer layer, BatchTensor in, Compilation c, Descriptors descriptors) {
        super(c, in, c.output(layer.out(), in.gradient() != null, layer.name()));
        this.name = layer.name();
        this.pooling = descriptors.averagePooling(spec.windows(), spec.countIncludePad());
        this.x = descriptors.tensor(in);
        this.y = descriptors.tensor(out);
    }

    @Override
    public boolean needsOutput() {
        return true; // required by cuDNN
    }

    @Override
    public void forward() {
        Gpu gpu = c.gpu();
        CudaStatus.dnn(
                JCudnn.cudnnPoolingForward(
                        gpu.dnn(),
                        pooling,
                        Descriptors.ONE,
                        x,
                        gpu.at(in.value()),
                        Descriptors.ZERO,
                        y,
                        gpu.at(out.value())),
                "cudnnPoolingForward of layer " + name);
    }

    @Override
    public void backward() {
        Buffer wanted = in.gradient();
        if (wanted != null) {
            Gpu gpu = c.gpu();
            CudaStatus.dnn(
                    JCudnn.cudnnPoolingBackward(
                            gpu.dnn(),
                            pooling,
                            Descriptors.ONE,
                            y,
                            gpu.at(out.value()),
                            y,
                            gpu.at(Objects.requireNonNull(out.gradient())),
                            x,
                            gpu.at(in.value()),
                            Descriptors.ZERO,
                            x,
                            gpu.at(wanted)),
                    "cudnnPoolingBackward of layer " + name);
        }
    }
}
