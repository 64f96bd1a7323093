package io.trainyard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/// A test of `./trainyard verify` only: a class that takes more than about five seconds, repeats a test on
/// another device, or needs a tool in addition to the JDK. For tests of the packaged application see [Smoke].
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("slow") // for Jupiter
@net.jqwik.api.Tag("slow") // for jqwik, which ignores the other
public @interface Slow {}
