/// NVIDIA's libraries: finds them, loads them, and makes JCuda's natives fit them. After that the process has JCuda,
/// or the exact reason why not and what to do about it. Nothing here runs on a machine without a driver but the look
/// for one.
@NullMarked
package io.trainyard.device.cuda.library;

import org.jspecify.annotations.NullMarked;
