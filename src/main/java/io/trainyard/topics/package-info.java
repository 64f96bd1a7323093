/// The topics: their names, settings and keys, and the CloudEvents headers of their records.
@NullMarked
package io.trainyard.topics;

import org.jspecify.annotations.NullMarked;
