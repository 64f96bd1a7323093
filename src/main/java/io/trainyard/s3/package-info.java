/// Buckets of Amazon S3 and of what speaks its protocol: what the stores of Trainyard ask of one, with bounded waits,
/// bounded memory, and failures as sentences without secrets. Nothing outside this package sees the library.
@NullMarked
package io.trainyard.s3;

import org.jspecify.annotations.NullMarked;
