/// Whether what was told of a fleet can be true: a checker of the news on its topics, for tests, for simulations
/// and for `./trainyard events --check`. It knows no Kafka.
@NullMarked
package io.trainyard.history;

import org.jspecify.annotations.NullMarked;
