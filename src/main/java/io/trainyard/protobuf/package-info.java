/// A minimal Protocol Buffers implementation for TensorBoard's event files, ONNX files and KEDA's requests.
@NullMarked
package io.trainyard.protobuf;

import org.jspecify.annotations.NullMarked;
