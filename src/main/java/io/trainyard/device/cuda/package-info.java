/// The device `cuda`: a session runs on one GPU and replays its steps there as recorded graphs.
@NullMarked
package io.trainyard.device.cuda;

import org.jspecify.annotations.NullMarked;
