/// What a job is: pure records, valid once constructed. Every constructor checks its values and throws
/// [InvalidJobException] with a sentence that says what is wrong, which value, and what is allowed.
@NullMarked
package io.trainyard.spec;

import org.jspecify.annotations.NullMarked;
