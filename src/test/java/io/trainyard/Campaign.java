package io.trainyard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test that looks for faults for as long as one likes, left out unless it is asked for:
/// `./mvnw test -Dtest=SimFleetTest -Dtest.excluded=double -Dseeds=100000`.
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("campaign")
public @interface Campaign {}
