/// Jobs of the tracking store in the formats of other tools: TensorBoard's event files, MLflow's folders,
/// CSV, Parquet. An exporter is handed a job, its losses at full resolution, and the next job. And the
/// other way: runs of TensorBoard as jobs of the store.
@NullMarked
package io.trainyard.export;

import org.jspecify.annotations.NullMarked;
