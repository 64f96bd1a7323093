package io.trainyard.device.cuda;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test on the double of NVIDIA's libraries (`src/test/native`). It runs in a JVM that finds the double where the
/// product looks for NVIDIA's libraries; its class is named `*DoubleTest`.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("double")
@ExtendWith(SeedOfFailure.class)
@EnabledIf(
        value = "io.trainyard.device.cuda.NativeDouble#isBuilt",
        disabledReason = "there is no double of NVIDIA's libraries: src/test/native/build.sh says why")
public @interface OnDouble {}
