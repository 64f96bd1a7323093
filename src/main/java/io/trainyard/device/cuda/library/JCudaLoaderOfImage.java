package io.trainyard.device.cuda.library;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;

/// What stands in the native image for JCuda's own loader. On a JVM [JCudaNatives] defines that class anew; an image is
/// given
/// no classes while it runs.
@TargetClass(className = "jcuda.LibUtilsCuda")
final class JCudaLoaderOfImage {
    private JCudaLoaderOfImage() {}

    /// As JCuda's classes call it: by the name without `lib` and `.so`, and with those it would load first.
    @Substitute
    public static void loadLibrary(String name, String... needed) {
        System.load(JCudaNatives.fileOfImage(name).toString());
    }
}
