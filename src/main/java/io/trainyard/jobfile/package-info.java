/// Files of jobs and networks, JSON or YAML, read and checked before anything is sent.
@NullMarked
package io.trainyard.jobfile;

import org.jspecify.annotations.NullMarked;
