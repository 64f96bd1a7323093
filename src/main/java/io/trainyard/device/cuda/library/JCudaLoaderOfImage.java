package io.trainyard.device.cuda.library;

import com.oracle.svm.core.annotate.Substitute;
import com.oracle.svm.core.annotate.TargetClass;

/// Replaces JCuda's own loader in the native image. On a JVM, [JCudaNatives] redefines that class; an image cannot
/// define classes at run time.
@TargetClass(className = "jcuda.LibUtilsCuda")
final class JCudaLoaderOfImage {
    private JCudaLoaderOfImage() {}

    /// JCuda's signature: the name without `lib` and `.so`, and the names of its dependencies.
    @Substitute
    public static void loadLibrary(String name, String... needed) {
        System.load(JCudaNatives.fileOfImage(name).toString());
    }
}
