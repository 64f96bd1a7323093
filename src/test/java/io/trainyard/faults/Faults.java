package io.trainyard.faults;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A campaign of faults with real processes, which takes many minutes: `./mvnw verify -Pfaults`.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("faults")
@interface Faults {}
