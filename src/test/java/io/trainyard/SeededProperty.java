package io.trainyard;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import net.jqwik.api.Property;

/// A property that uses the same samples in every run. For other samples, change the seed, and
/// `jqwik.tries.default` in junit-platform.properties.
@Property(seed = "20251101")
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface SeededProperty {}
