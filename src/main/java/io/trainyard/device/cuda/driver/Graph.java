package io.trainyard.device.cuda.driver;

import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.JCudaDriver;

/// Recorded work, which can be launched repeatedly in one call.
public final class Graph {
    private final Gpu gpu;
    private final CUgraphExec executable = new CUgraphExec();
    private final int nodes;

    Graph(Gpu gpu, CUgraph recorded) {
        this.gpu = gpu;
        try {
            long[] count = new long[1];
            CudaStatus.driver(JCudaDriver.cuGraphGetNodes(recorded, null, count), "cuGraphGetNodes");
            nodes = Math.toIntExact(count[0]);
            CudaStatus.driver(JCudaDriver.cuGraphInstantiate(executable, recorded, 0), "cuGraphInstantiate");
        } finally {
            JCudaDriver.cuGraphDestroy(recorded);
        }
        gpu.onClose(() -> JCudaDriver.cuGraphExecDestroy(executable));
    }

    public int nodes() {
        return nodes;
    }

    public void launch() {
        CudaStatus.driver(JCudaDriver.cuGraphLaunch(executable, gpu.compute().handle()), "cuGraphLaunch");
    }
}
