/// Data sets: images and labels in memory, read from files under one data root or generated.
@NullMarked
package io.trainyard.data;

import org.jspecify.annotations.NullMarked;
