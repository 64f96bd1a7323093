/// What a Kubernetes around the fleet is told, so that scaling costs no work: which workers' pods are busy, how many
/// workers are wanted. It is told by the dashboard, which alone knows both; where there is no Kubernetes, nothing here
/// runs.
@NullMarked
package io.trainyard.kubernetes;

import org.jspecify.annotations.NullMarked;
