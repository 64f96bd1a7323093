package io.trainyard.device.check;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LayerSpec.AdaptiveAvgPool2d;
import io.trainyard.spec.LayerSpec.AvgPool2d;
import io.trainyard.spec.LayerSpec.BatchNorm1d;
import io.trainyard.spec.LayerSpec.BatchNorm2d;
import io.trainyard.spec.LayerSpec.Conv2d;
import io.trainyard.spec.LayerSpec.Dropout;
import io.trainyard.spec.LayerSpec.Dropout2d;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Gelu;
import io.trainyard.spec.LayerSpec.Hardswish;
import io.trainyard.spec.LayerSpec.Hardtanh;
import io.trainyard.spec.LayerSpec.Identity;
import io.trainyard.spec.LayerSpec.LayerScale;
import io.trainyard.spec.LayerSpec.LeakyRelu;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.LayerSpec.MaxPool2d;
import io.trainyard.spec.LayerSpec.Relu;
import io.trainyard.spec.LayerSpec.Relu6;
import io.trainyard.spec.LayerSpec.Residual;
import io.trainyard.spec.LayerSpec.Sigmoid;
import io.trainyard.spec.LayerSpec.Silu;
import io.trainyard.spec.LayerSpec.Softplus;
import io.trainyard.spec.LayerSpec.Tanh;
import io.trainyard.spec.SampleNorm.GroupNorm;
import io.trainyard.spec.SampleNorm.LayerNorm;
import io.trainyard.spec.SampleNorm.LayerNorm2d;
import java.util.List;

/// Layers without names, briefly.
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

    /// With the input itself as the shortcut.
    public static Residual residual(LayerSpec... layers) {
        return new Residual(null, List.of(layers), List.of());
    }

    public static Residual residual(List<LayerSpec> layers, LayerSpec... shortcut) {
        return new Residual(null, layers, List.of(shortcut));
    }

    public static BatchNorm2d norm() {
        return new BatchNorm2d(null);
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

    /// @param normalizedShape none for all dimensions
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
