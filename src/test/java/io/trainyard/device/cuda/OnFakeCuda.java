package io.trainyard.device.cuda;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;

/// A test on the fake CUDA libraries (`src/test/native`). Its JVM finds them in the place of NVIDIA's. The
/// class name must end with `FakeCudaTest`.
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("fakeCuda")
@ExtendWith(SeedOfFailure.class)
@EnabledIf(
        value = "io.trainyard.device.cuda.FakeCudaLibraries#isBuilt",
        disabledReason = "the fake CUDA libraries are not built: src/test/native/build.sh says why")
public @interface OnFakeCuda {}
