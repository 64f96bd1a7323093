/// Data sets: samples and what is to be made of them, read from files under one data root or generated.
@NullMarked
package io.trainyard.data;

import org.jspecify.annotations.NullMarked;
