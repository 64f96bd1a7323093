package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Required;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The channels of all branches, one branch after another: `torch.cat` over dimension 1. An empty branch is the input.
/// Names of the layers are prefixed by this layer's name; a layer without a name has the indexes of its branch and
/// of itself.
public record Concat(
        @Nullable String name, @Required("concat.branches") List<List<LayerSpec>> branches) implements Join {
    public static final int MAX_BRANCHES = 100;

    public Concat {
        branches = Check.complete("concat.branches", branches);
        if (branches.size() < 2 || branches.size() > MAX_BRANCHES) {
            throw new InvalidJobException(
                    "concat.branches has %d branches; allowed is 2 to %d".formatted(branches.size(), MAX_BRANCHES));
        }
        branches = branches.stream()
                .map(branch -> Check.complete("concat.branches", branch))
                .toList();
    }

    @Override
    public List<Branch> sequences() {
        List<Branch> sequences = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            sequences.add(new Branch("branches[%d]".formatted(i), "", i + ".", branches.get(i)));
        }
        return sequences;
    }

    @Override
    public Shape join(List<Shape> outputs) {
        Shape first = outputs.getFirst();
        Shape joined = first;
        for (int i = 1; i < outputs.size(); i++) {
            Shape other = outputs.get(i);
            if (!other.equals(first.withChannels(other.size(0)))) {
                throw new ShapeMismatch(
                        "its branches[0] gives %s, but its branches[%d] gives %s; they may differ only in the channels"
                                .formatted(first, i, other));
            }
            joined = joined.withChannels(joined.size(0) + other.size(0)); // refuses an overflow
        }
        return joined;
    }
}
