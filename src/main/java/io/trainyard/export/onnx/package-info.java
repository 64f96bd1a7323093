/// Trained networks as ONNX files, for programs without Trainyard.
@NullMarked
package io.trainyard.export.onnx;

import org.jspecify.annotations.NullMarked;
