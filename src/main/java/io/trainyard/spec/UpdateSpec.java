package io.trainyard.spec;

import io.trainyard.spec.ParameterSpec.Init;
import java.util.ArrayList;
import java.util.List;

/// The parameter update rule, and the state it keeps for every parameter.
public record UpdateSpec(OptimizerSpec optimizer, LoopSpec loop) {
    /// The name in the state of the optimizer's step count.
    public static final String STEP = "step";

    /// The gradient accumulated over earlier batches.
    private static final String ACCUMULATED = "accumulated_grad";

    /// The trained parameter, if there is a moving average. While a session computes, this slot holds the
    /// average, and the parameter's place holds the trained values.
    private static final String TRAINED = "trained";

    /// The state of every parameter: the optimizer's slots first, by PyTorch's names, then those of the loop.
    /// Each has the parameter's shape. All except the average start at zero.
    public List<String> slots() {
        List<String> slots = new ArrayList<>(optimizer.slots());
        if (loop.accumulates()) {
            slots.add(ACCUMULATED);
        }
        if (loop.average().isPresent()) {
            slots.add(TRAINED);
        }
        return List.copyOf(slots);
    }

    /// The index of the slot with the accumulated gradient; -1: none.
    public int accumulated() {
        return slots().indexOf(ACCUMULATED);
    }

    /// The index of the slot with the average; -1: none.
    public int averaged() {
        return slots().indexOf(TRAINED);
    }

    /// Whether the optimizer's step count is needed: by its rule, or by the average, which starts as a copy.
    public boolean countsSteps() {
        return optimizer.countsSteps() || loop.average().isPresent();
    }

    /// The entries of the state for `parameter`, named `<parameter>.<slot>`, in the order of [#slots]; empty for
    /// a buffer.
    public List<ParameterSpec> slotsOf(ParameterSpec parameter) {
        return parameter.trained()
                ? slots().stream()
                        .map(slot -> new ParameterSpec(
                                parameter.name() + "." + slot, parameter.shape(), new Init.Constant(0), false))
                        .toList()
                : List.of();
    }

    /// All entries of the state.
    ///
    /// @param parameters the network's parameters and buffers
    public List<ParameterSpec> state(List<ParameterSpec> parameters) {
        List<ParameterSpec> entries = new ArrayList<>();
        parameters.forEach(parameter -> entries.addAll(slotsOf(parameter)));
        if (countsSteps()) {
            entries.add(new ParameterSpec(STEP, Shape.of(), new Init.Counter(), false));
        }
        return entries;
    }
}
