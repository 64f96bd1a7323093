package io.trainyard.device;

import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Sha256;
import io.trainyard.spec.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Named tensors on the host, in order: a network's `state_dict()`, or an optimizer's state.
public record Parameters(Map<String, Tensor> tensors) {
    public static final Parameters NONE = new Parameters(Map.of());

    public Parameters {
        tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
    }

    /// @throws IllegalArgumentException if there is no float tensor with this name and shape
    public float[] floats(String name, Shape shape) {
        if (tensors.get(name) instanceof Tensor.Floats floats && floats.shape().equals(shape)) {
            return floats.values();
        }
        throw mismatch(name, "float32 of shape " + shape);
    }

    /// @throws IllegalArgumentException if there is no int64 tensor with this name and shape
    public long[] longs(String name, Shape shape) {
        if (tensors.get(name) instanceof Tensor.Longs longs && longs.shape().equals(shape)) {
            return longs.values();
        }
        throw mismatch(name, "int64 of shape " + shape);
    }

    private IllegalArgumentException mismatch(String name, String expected) {
        Tensor found = tensors.get(name);
        String kind = found instanceof Tensor.Longs ? "int64" : "float32";
        return new IllegalArgumentException("parameter %s is %s; expected is %s"
                .formatted(name, found == null ? "missing" : kind + " of shape " + found.shape(), expected));
    }

    /// @throws IllegalArgumentException unless these are exactly the parameters and buffers of `specs`; names the
    ///     first that is missing, unexpected, or of another shape
    public void requireMatch(List<ParameterSpec> specs) {
        for (ParameterSpec spec : specs) {
            if (spec.init() instanceof ParameterSpec.Init.Counter) {
                var _ = longs(spec.name(), spec.shape());
            } else {
                var _ = floats(spec.name(), spec.shape());
            }
        }
        List<String> known = specs.stream().map(ParameterSpec::name).toList();
        tensors.keySet().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw new IllegalArgumentException("parameter %s is not one of the network's".formatted(name));
                });
    }

    /// SHA-256 over all values as float32, little-endian, in order; hexadecimal.
    public String sha256() {
        MessageDigest digest = Sha256.digest();
        for (Tensor tensor : tensors.values()) {
            ByteBuffer bytes =
                    ByteBuffer.allocate(4 * tensor.shape().elements()).order(ByteOrder.LITTLE_ENDIAN);
            switch (tensor) {
                case Tensor.Floats floats -> bytes.asFloatBuffer().put(floats.values());
                case Tensor.Longs longs -> {
                    for (long value : longs.values()) {
                        bytes.putFloat((float) value);
                    }
                }
            }
            digest.update(bytes.array());
        }
        return Sha256.text(digest);
    }
}
