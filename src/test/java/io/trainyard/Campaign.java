package io.trainyard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/// A test that searches for faults for any amount of time. It runs only on request: `./mvnw test
/// -Dtest=SimOwnershipTest -Dtest.excluded=fakeCuda -Dseeds=100000 -Dsurefire.timeout=0`.
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("campaign")
@Timeout(value = 7, unit = TimeUnit.DAYS) // instead of the default timeout
public @interface Campaign {}
