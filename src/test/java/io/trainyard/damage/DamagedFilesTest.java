package io.trainyard.damage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import io.jhdf.api.DatasetCreationOptions;
import io.trainyard.Campaign;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.DataRoot;
import io.trainyard.data.DatasetException;
import io.trainyard.data.GreyImages;
import io.trainyard.data.Npy;
import io.trainyard.data.OwnIdx;
import io.trainyard.data.UserFolder;
import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Files that a worker reads may be damaged by anyone who can write them. Reading must end with data or with a
/// clear refusal: soon, with little memory, and never with another error.
class DamagedFilesTest {
    private static final long MEGABYTE = 1 << 20;

    /// The limit of allocation per read; the small intact files take less than a tenth of it.
    private static final long MOST_BYTES = 64 * MEGABYTE;

    /// For a file of some kilobytes on a busy machine.
    private static final Duration LONGEST = Duration.ofMinutes(2);

    @TempDir
    Path folder;

    /// A file format, an intact sample and its reader.
    enum Kind {
        CHECKPOINT {
            @Override
            Path write(Path folder) throws IOException {
                Path golden =
                        Path.of("src/test/resources/golden/predictions/small/checkpoints/step-0000001000.safetensors");
                return Files.copy(golden, folder.resolve("model.safetensors"));
            }

            @Override
            void read(Path folder) {
                var _ = SavedModel.read(folder.resolve("model.safetensors"));
            }
        },
        CIFAR {
            @Override
            Path write(Path folder) throws IOException {
                Path files = Files.createDirectory(folder.resolve("cifar10"));
                for (int i = 1; i <= 5; i++) {
                    Files.write(files.resolve("data_batch_%d.bin".formatted(i)), new byte[2 * 3073]);
                }
                return Files.write(files.resolve("test_batch.bin"), new byte[3 * 3073]);
            }

            @Override
            void read(Path folder) {
                var _ = new DataRoot(folder).open(DatasetSpec.named("cifar10"));
            }
        },
        IDX {
            @Override
            Path write(Path folder) throws IOException {
                GreyImages.write(folder.resolve("mnist"));
                return folder.resolve("mnist/t10k-images-idx3-ubyte");
            }

            @Override
            void read(Path folder) {
                var _ = new DataRoot(folder).open(DatasetSpec.named("mnist"));
            }
        },
        IDX_GZIPPED {
            @Override
            Path write(Path folder) throws IOException {
                Path plain = IDX.write(folder);
                Path packed = plain.resolveSibling(plain.getFileName() + ".gz");
                try (var out = new GZIPOutputStream(Files.newOutputStream(packed))) {
                    Files.copy(plain, out);
                }
                Files.delete(plain);
                return packed;
            }

            @Override
            void read(Path folder) {
                IDX.read(folder);
            }
        },
        HDF5 {
            @Override
            Path write(Path folder) throws IOException {
                Path files = Files.createDirectory(folder.resolve("signs"));
                for (String part : new String[] {"train", "test"}) {
                    try (WritableHdfFile hdf = HdfFile.write(files.resolve(part + "_signs.h5"))) {
                        var unsigned = DatasetCreationOptions.builder().unsigned();
                        var packed =
                                unsigned.chunkDimensions(1, 64, 64, 3).deflate().build();
                        hdf.putDataset(part + "_set_x", new byte[2][64][64][3], packed);
                        hdf.putDataset(part + "_set_y", new long[] {5, 0});
                    }
                }
                return files.resolve("train_signs.h5");
            }

            @Override
            void read(Path folder) {
                var _ = new DataRoot(folder).open(DatasetSpec.named("signs"));
            }
        },
        DESCRIPTION {
            @Override
            Path write(Path folder) throws IOException {
                OwnIdx.write(own(folder, "{}"), 3, 2);
                return own(folder, """
                        {"kind": "idx", "classes": 3, "classNames": ["a", "b", "c"], "trainLabels": "train-labels-idx1-ubyte",
                         "normalize": {"mean": [0.25], "std": [0.5]}}""").resolve("dataset.json");
            }
        },
        NPY {
            @Override
            Path write(Path folder) throws IOException {
                Path own = own(folder, "{\"kind\": \"arrays\"}");
                Npy.write(own, Npy.rows());
                return own.resolve("x_train.npy");
            }
        },
        NPZ {
            @Override
            Path write(Path folder) throws IOException {
                Path own = own(folder, "{\"kind\": \"arrays\", \"file\": \"all.npz\"}");
                return Files.write(own.resolve("all.npz"), Npy.npz(Npy.rows()));
            }
        },
        SAFETENSORS {
            @Override
            Path write(Path folder) throws IOException {
                Path own = own(folder, "{\"kind\": \"arrays\", \"file\": \"all.safetensors\"}");
                return Files.write(own.resolve("all.safetensors"), Npy.safetensors());
            }
        },
        PACKED {
            @Override
            Path write(Path folder) throws IOException {
                Path source = Files.createDirectories(folder.resolve("source"));
                Npy.write(source, Npy.rows());
                return UserFolder.at(source).pack(folder.resolve("own"), DatasetSpec.named("own"), false);
            }
        },
        CSV {
            @Override
            Path write(Path folder) throws IOException {
                Path own = own(folder, "{\"kind\": \"csv\", \"label\": \"b\", \"classes\": 2}");
                Files.writeString(own.resolve("test.csv"), "a,b\n1,0\n");
                return Files.writeString(own.resolve("train.csv"), "a,b\n1,0\n-2.5e3,1\n\"3\",0\n");
            }
        };

        /// A user's own dataset.
        private static Path own(Path folder, String description) throws IOException {
            Path own = Files.createDirectories(folder.resolve("own"));
            Files.writeString(own.resolve("dataset.json"), description);
            return own;
        }

        /// @return the file to damage
        abstract Path write(Path folder) throws IOException;

        void read(Path folder) {
            var _ = new DataRoot(folder).open(DatasetSpec.named("own"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void someDamagedFilesAreReadOrRejected(Kind kind) throws Exception {
        var _ = readDamaged(kind, 20261123, 200);
    }

    /// `./mvnw test -Dtest=DamagedFilesTest -Dtest.excluded=fakeCuda -Dfiles=100000 -Dseed=1`
    @Campaign
    @ParameterizedTest
    @EnumSource
    void manyDamagedFilesAreReadOrRejected(Kind kind) throws Exception {
        int files = Integer.getInteger("files", 100_000);
        int refused = readDamaged(kind, Long.getLong("seed", 1), files);
        System.out.printf("%s: %,d damaged files, %,d refused%n", kind, files, refused);
    }

    /// @return how many files were refused
    private int readDamaged(Kind kind, long seed, int count) throws Exception {
        Path file = kind.write(folder);
        byte[] whole = Files.readAllBytes(file);
        kind.read(folder);
        Readings readings = new Readings(kind, file, whole, seed, count);
        Thread reader = Thread.ofPlatform().daemon().name("reader").start(readings);
        while (!reader.join(LONGEST)) {
            String stack =
                    Arrays.stream(reader.getStackTrace()).map(Object::toString).collect(Collectors.joining("\n"));
            assertThat(readings.hasContinued())
                    .as("%s hangs:%n%s", readings, stack)
                    .isTrue();
        }
        assertThat(readings.fault.get()).as("%s", readings).isNull();
        assertThat(readings.refused).as("refused").isBetween(1, count);
        return readings.refused;
    }

    /// Reads damaged files one after the other.
    private final class Readings implements Runnable {
        private final AtomicReference<Throwable> fault = new AtomicReference<>();
        private final Kind kind;
        private final Path file;
        private final byte[] whole;
        private final long seed;
        private final int count;
        private volatile int number;
        private int seen = -1;
        private int refused;

        Readings(Kind kind, Path file, byte[] whole, long seed, int count) {
            this.kind = kind;
            this.file = file;
            this.whole = whole;
            this.seed = seed;
            this.count = count;
        }

        boolean hasContinued() {
            boolean gone = number != seen;
            seen = number;
            return gone;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < count; i++) {
                    number = i;
                    Path beside = Files.write(folder.resolve("next"), new Damage(seed + i).of(whole));
                    var _ = Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
                    read();
                }
            } catch (Throwable e) { // including errors of the JVM, which this test looks for
                fault.set(e);
            }
        }

        private void read() {
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            try {
                kind.read(folder);
            } catch (DatasetException | CheckpointException e) {
                refused++;
                assertThat(e).hasMessageContaining(folder.toString());
            }
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as("bytes allocated")
                    .isLessThan(MOST_BYTES);
        }

        @Override
        public String toString() {
            return "damaged file of kind %s, seed %d".formatted(kind, seed + number);
        }
    }
}
