/// Integration with Kubernetes for scaling without losing work: marks of busy workers' pods, and the required
/// number of workers. The dashboard runs it; outside Kubernetes it is inactive.
@NullMarked
package io.trainyard.kubernetes;

import org.jspecify.annotations.NullMarked;
