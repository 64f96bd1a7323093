/// Data sets that lie in a bucket: brought to this machine's disk once for all workers on it, and kept there while
/// there is room. What a worker reads stays as it is until it reads another set.
@NullMarked
package io.trainyard.data.bucket;

import org.jspecify.annotations.NullMarked;
