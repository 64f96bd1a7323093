// What norm.cu and batch_norm.cu share.

// What gradients come to: of y by its shift, and by its scale.
struct Gradients {
    float shift, scale;

    __device__ void add(float gradient, float normalised) {
        shift += gradient;
        scale += gradient * normalised;
    }

    __device__ void add(Gradients other) {
        shift += other.shift;
        scale += other.scale;
    }
};
