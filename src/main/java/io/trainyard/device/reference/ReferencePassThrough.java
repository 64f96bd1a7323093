package io.trainyard.device.reference;

/// Identity, and flatten, because row-major values are flat already.
final class ReferencePassThrough implements ReferenceLayer {
    @Override
    public float[] evaluate(float[] in, int samples) {
        return in;
    }

    @Override
    public float[] backward(float[] outGradient, int samples) {
        return outGradient;
    }
}
