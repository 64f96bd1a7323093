package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.ParameterSpec;

/// The device memory of the parameters and buffers of layers, float32, in `state_dict()`'s layout.
public interface LayerParameters {
    Buffer value(ParameterSpec spec);

    Buffer gradient(ParameterSpec spec);
}
