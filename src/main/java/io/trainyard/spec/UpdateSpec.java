package io.trainyard.spec;

import io.trainyard.spec.ParameterSpec.Init;
import java.util.ArrayList;
import java.util.List;

/// All that decides how parameters follow their gradients, and what is kept of every parameter for it.
public record UpdateSpec(OptimizerSpec optimizer, LoopSpec loop) {
    /// The name in the state of how many steps the optimizer has made.
    public static final String STEP = "step";

    /// What batches before this one have added to the gradient.
    private static final String ACCUMULATED = "accumulated_grad";

    /// Where there is an average of the parameter: the parameter itself, which training goes on with. While a
    /// session computes, the average is here and what is trained is in the parameter's place.
    private static final String TRAINED = "trained";

    /// What is kept of every parameter from step to step: the optimizer's first, by PyTorch's names, then the
    /// loop's. Each has the parameter's shape. All but the average start at zero.
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

    /// Which of the slots has the accumulated gradient; -1: none.
    public int accumulated() {
        return slots().indexOf(ACCUMULATED);
    }

    /// Which of the slots has the average; -1: none.
    public int averaged() {
        return slots().indexOf(TRAINED);
    }

    /// Whether anything asks how many steps the optimizer has made: its rule, or the average, whose first is
    /// a copy.
    public boolean countsSteps() {
        return optimizer.countsSteps() || loop.average().isPresent();
    }

    /// The entries of the state that belong to `parameter`, named `<parameter>.<slot>`, in the order of
    /// [#slots]; none for a buffer.
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
