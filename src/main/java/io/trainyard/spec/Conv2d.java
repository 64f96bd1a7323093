package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Cross-correlation with `out` kernels and zero padding; weight (out, in / groups, kernel rows, kernel columns).
///
/// @param dilation the distance between a kernel's taps; 1 for a dense one
/// @param groups number of equal parts of the input and output channels; each output part depends only on its own
///     input part
public record Conv2d(
        @Nullable String name,
        @Required("conv2d.out") int out,
        @Required("conv2d.kernel") Extent kernel,
        @Default("1") Extent stride,
        @Default("0") Padding padding,
        @Default("1") Extent dilation,
        @Default("1") int groups,
        @Default("true") boolean bias)
        implements LayerSpec {
    public Conv2d {
        Check.between("conv2d.out", out, 1, MAX_WIDTH);
        LayerChecks.check("conv2d", kernel, stride, padding.given(), dilation);
        Check.between("conv2d.groups", groups, 1, MAX_WIDTH);
        if (out % groups != 0) {
            throw new InvalidJobException("conv2d.groups is %d, but conv2d.out is %d; it must be a multiple of groups"
                    .formatted(groups, out));
        }
        if (padding.isSame() && !stride.equals(Extent.square(1))) {
            throw new InvalidJobException(
                    "conv2d.padding is \"same\", but conv2d.stride is %s; it must be 1, or the padding a number"
                            .formatted(stride));
        }
    }

    public Conv2d(
            @Nullable String name,
            int out,
            int kernel,
            int stride,
            int padding,
            int dilation,
            int groups,
            boolean bias) {
        this(
                name,
                out,
                Extent.square(kernel),
                Extent.square(stride),
                Padding.of(padding),
                Extent.square(dilation),
                groups,
                bias);
    }

    /// Square and dense, in one group.
    public Conv2d(@Nullable String name, int out, int kernel, int stride, int padding, boolean bias) {
        this(name, out, kernel, stride, padding, 1, 1, bias);
    }

    public Windows windows() {
        Extent reach = new Extent((kernel.rows() - 1) * dilation.rows(), (kernel.columns() - 1) * dilation.columns());
        return Windows.of(kernel, stride, dilation, padding.before(reach), padding.after(reach));
    }

    @Override
    public Shape output(Shape in) {
        LayerChecks.requireImage(in);
        if (in.size(0) % groups != 0) {
            throw new ShapeMismatch("its %d groups cannot share %d channels evenly".formatted(groups, in.size(0)));
        }
        return windows().over(in, out);
    }

    @Override
    public List<ParameterSpec> parameters(Shape in) {
        int seen = in.size(0) / groups;
        return ParameterSpec.weightAndBias(
                Shape.of(out, seen, kernel.rows(), kernel.columns()), seen * kernel.area(), bias);
    }

    @Override
    public long multiplyAdds(Shape in) {
        return (long) output(in).elements() * (in.size(0) / groups) * kernel.area();
    }
}
