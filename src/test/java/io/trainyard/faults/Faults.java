package io.trainyard.faults;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/// A fault campaign with real processes, which takes many minutes: `./mvnw verify -Pfaults`.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("faults")
@Timeout(value = 1, unit = TimeUnit.DAYS) // instead of the default timeout
@interface Faults {}
