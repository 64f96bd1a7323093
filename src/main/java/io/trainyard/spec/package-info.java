/// Job definitions: immutable records that are valid once constructed. Every constructor checks its values and
/// throws [InvalidJobException] with the mistake, the value found and the allowed values.
@NullMarked
package io.trainyard.spec;

import org.jspecify.annotations.NullMarked;
