package io.trainyard.device.check;

import io.trainyard.spec.ActivationFunction.Gelu;
import io.trainyard.spec.ActivationFunction.Hardswish;
import io.trainyard.spec.ActivationFunction.Hardtanh;
import io.trainyard.spec.ActivationFunction.LeakyRelu;
import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.ActivationFunction.Relu6;
import io.trainyard.spec.ActivationFunction.Sigmoid;
import io.trainyard.spec.ActivationFunction.Silu;
import io.trainyard.spec.ActivationFunction.Softplus;
import io.trainyard.spec.ActivationFunction.Tanh;
import io.trainyard.spec.BatchMomentum;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.BatchNorm.BatchNorm1d;
import io.trainyard.spec.BatchNorm.BatchNorm2d;
import io.trainyard.spec.Concat;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.DropoutLayer.Dropout;
import io.trainyard.spec.DropoutLayer.Dropout2d;
import io.trainyard.spec.Extent;
import io.trainyard.spec.Gate;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Identity;
import io.trainyard.spec.LayerSpec.LayerScale;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.Padding;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import io.trainyard.spec.Residual;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SampleNorm.LayerNorm;
import io.trainyard.spec.SampleNorm.LayerNorm2d;
import io.trainyard.spec.Scale;
import io.trainyard.spec.Upsample;
import java.util.Arrays;
import java.util.List;

public final class Layers {
    private Layers() {}

    public static Conv2d conv(int out, int kernel, int stride, int padding, boolean bias) {
        return new Conv2d(null, out, kernel, stride, padding, bias);
    }

    public static Conv2d conv(int out, int kernel, int stride, int padding, int dilation, int groups, boolean bias) {
        return new Conv2d(null, out, kernel, stride, padding, dilation, groups, bias);
    }

    public static MaxPool2d pool(int kernel, int stride) {
        return new MaxPool2d(null, kernel, stride);
    }

    public static AvgPool2d avgPool(int kernel, int stride) {
        return new AvgPool2d(null, kernel, stride);
    }

    public static AdaptiveAvgPool2d adaptive(int out) {
        return new AdaptiveAvgPool2d(null, out);
    }

    public static Conv2d conv(int out, Extent kernel, Extent stride, Padding padding, Extent dilation, int groups) {
        return new Conv2d(null, out, kernel, stride, padding, dilation, groups, true);
    }

    /// With the padding that keeps the image size.
    public static Conv2d same(int out, Extent kernel, Extent dilation) {
        return conv(out, kernel, Extent.square(1), Padding.SAME, dilation, 1);
    }

    public static MaxPool2d pool(Extent kernel, Extent stride, Extent padding, Extent dilation, boolean ceilMode) {
        return new MaxPool2d(null, kernel, stride, padding, dilation, ceilMode);
    }

    public static MaxPool2d pool(int kernel, int stride, int padding, int dilation, boolean ceilMode) {
        return pool(side(kernel), side(stride), side(padding), side(dilation), ceilMode);
    }

    public static AvgPool2d avgPool(
            Extent kernel, Extent stride, Extent padding, boolean ceilMode, boolean countIncludePad) {
        return new AvgPool2d(null, kernel, stride, padding, ceilMode, countIncludePad);
    }

    public static AvgPool2d avgPool(int kernel, int stride, int padding, boolean ceilMode, boolean countIncludePad) {
        return avgPool(side(kernel), side(stride), side(padding), ceilMode, countIncludePad);
    }

    public static AdaptiveAvgPool2d adaptive(int rows, int columns) {
        return new AdaptiveAvgPool2d(null, new Extent(rows, columns));
    }

    public static Upsample upsample(double rows, double columns) {
        return new Upsample(null, null, new Scale(rows, columns), "nearest");
    }

    public static Upsample upsampleTo(int rows, int columns) {
        return new Upsample(null, new Extent(rows, columns), null, "nearest");
    }

    public static Extent side(int both) {
        return Extent.square(both);
    }

    public static Extent sides(int rows, int columns) {
        return new Extent(rows, columns);
    }

    public static LeakyRelu leakyRelu(double negativeSlope) {
        return new LeakyRelu(null, negativeSlope);
    }

    public static Gelu gelu(String approximate) {
        return new Gelu(null, approximate);
    }

    public static Tanh tanh() {
        return new Tanh(null);
    }

    public static Sigmoid sigmoid() {
        return new Sigmoid(null);
    }

    public static Silu silu() {
        return new Silu(null);
    }

    public static Softplus softplus(double beta, double threshold) {
        return new Softplus(null, beta, threshold);
    }

    public static Hardswish hardswish() {
        return new Hardswish(null);
    }

    public static Hardtanh hardtanh(double minVal, double maxVal) {
        return new Hardtanh(null, minVal, maxVal);
    }

    public static Relu6 relu6() {
        return new Relu6(null);
    }

    public static Identity identity() {
        return new Identity(null);
    }

    public static Dropout2d dropout2d(double p) {
        return new Dropout2d(null, p);
    }

    public static Residual residual(LayerSpec... layers) {
        return new Residual(null, List.of(layers), List.of());
    }

    public static Residual residual(List<LayerSpec> layers, LayerSpec... shortcut) {
        return new Residual(null, layers, List.of(shortcut));
    }

    @SafeVarargs
    public static Concat concat(List<LayerSpec>... branches) {
        return new Concat(null, Arrays.stream(branches).toList());
    }

    public static Gate gate(LayerSpec... layers) {
        return new Gate(null, List.of(layers));
    }

    public static BatchNorm2d norm() {
        return new BatchNorm2d(null);
    }

    /// With running statistics that are means over all batches.
    public static BatchNorm2d cumulativeNorm() {
        return new BatchNorm2d(null, BatchNorm.DEFAULT_EPS, BatchMomentum.CUMULATIVE, true);
    }

    public static BatchNorm1d cumulativeNorm1d() {
        return new BatchNorm1d(null, 0.1, BatchMomentum.CUMULATIVE, true);
    }

    public static BatchNorm2d norm(double eps, double momentum, boolean affine) {
        return new BatchNorm2d(null, eps, momentum, affine);
    }

    public static BatchNorm1d norm1d(double eps, double momentum, boolean affine) {
        return new BatchNorm1d(null, eps, momentum, affine);
    }

    public static GroupNorm groupNorm(int groups, double eps, boolean affine) {
        return new GroupNorm(null, groups, eps, affine);
    }

    /// @param normalizedShape empty for all dimensions
    public static LayerNorm layerNorm(double eps, boolean affine, Integer... normalizedShape) {
        return new LayerNorm(null, List.of(normalizedShape), eps, affine);
    }

    public static LayerNorm2d layerNorm2d(double eps, boolean affine) {
        return new LayerNorm2d(null, eps, affine);
    }

    public static LayerScale layerScale(double initValue) {
        return new LayerScale(null, initValue);
    }

    public static Relu relu() {
        return new Relu(null);
    }

    public static Dropout dropout(double p) {
        return new Dropout(null, p);
    }

    public static Flatten flatten() {
        return new Flatten(null);
    }

    public static Linear linear(int out, boolean bias) {
        return new Linear(null, out, bias);
    }
}
