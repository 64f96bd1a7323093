/// Datasets in a bucket: downloaded to the local disk once for all workers of a machine, and cached while there
/// is space. A worker's dataset does not change until the worker requests another one.
@NullMarked
package io.trainyard.data.bucket;

import org.jspecify.annotations.NullMarked;
