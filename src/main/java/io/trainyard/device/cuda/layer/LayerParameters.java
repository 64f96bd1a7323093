package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.spec.ParameterSpec;

/// Where on the device the parameters and buffers of layers are, float32, in `state_dict()`'s layout.
public interface LayerParameters {
    Buffer value(ParameterSpec spec);

    /// @param spec of a parameter that is trained
    Buffer gradient(ParameterSpec spec);
}
