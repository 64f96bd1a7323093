/// Messages of Protocol Buffers, field by field, for the few small ones that Trainyard reads and writes: TensorBoard's
/// event files, KEDA's questions.
@NullMarked
package io.trainyard.protobuf;

import org.jspecify.annotations.NullMarked;
