/// Access to Amazon S3 and compatible servers for the stores of Trainyard, with bounded waits, bounded memory,
/// and error messages without secrets. The AWS SDK is not exposed outside this package.
@NullMarked
package io.trainyard.s3;

import org.jspecify.annotations.NullMarked;
