package io.trainyard.device.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Slow;
import io.trainyard.device.ChildJvm;
import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCases;
import io.trainyard.spec.DeviceSpec;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// CPUs with shorter vectors than this one, simulated by processes that limit the vector length.
@Slow
class OtherVectorsTest {
    /// The main class of those processes.
    static final class Training {
        private Training() {}

        public static void main(String[] arguments) {
            VectorDeviceTest vectors = new VectorDeviceTest();
            NumbersContract.checkTraining(vectors.device(), vectors.eventful().withThreads(2));
            VectorDeviceTest.computableRows()
                    .forEach(row -> NumbersContract.checkTraining(
                            vectors.device(), CheckWorkload.of(row, CheckWorkload.MOMENTUM)));
            Device cpu = Devices.open(new DeviceSpec("cpu")); // with oneDNN and other kernels
            LayerCases.all()
                    .forEach(row -> NumbersContract.checkTraining(cpu, CheckWorkload.of(row, CheckWorkload.MOMENTUM)));
            System.out.println("trained with vectors of " + Vectors.LENGTH);
        }
    }

    @ParameterizedTest
    @CsvSource({"32, 8", "16, 4"})
    void trainAsTheReferenceDoes(int bytes, int floats) throws IOException, InterruptedException {
        assumeTrue(floats <= Vectors.LENGTH, "this processor's vectors are shorter themselves");
        String output = ChildJvm.run(
                Training.class,
                System.getProperty("java.class.path"),
                "--add-modules",
                "jdk.incubator.vector",
                "-XX:MaxVectorSize=" + bytes);
        assertThat(output).contains("trained with vectors of " + floats);
    }
}
