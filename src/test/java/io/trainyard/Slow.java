package io.trainyard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test class that takes more than some five seconds: `./trainyard test --quick` leaves it out.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("slow") // for Jupiter
@net.jqwik.api.Tag("slow") // for jqwik, which does not know the other
public @interface Slow {}
