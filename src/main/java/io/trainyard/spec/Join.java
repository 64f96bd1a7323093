package io.trainyard.spec;

import java.util.List;

/// A layer that gives its input to branches and joins their outputs.
public sealed interface Join extends LayerSpec permits Residual, Concat, Gate {
    /// The joined shape.
    ///
    /// @param outputs the branches' output shapes
    /// @throws ShapeMismatch if they cannot be joined
    Shape join(List<Shape> outputs);

    @Override
    default Shape output(Shape in) {
        return join(sequences().stream().map(branch -> branch.output(in)).toList());
    }

    @Override
    default List<ParameterSpec> parameters(Shape in) {
        return sequences().stream()
                .flatMap(branch -> branch.parameters(in).stream())
                .toList();
    }
}
