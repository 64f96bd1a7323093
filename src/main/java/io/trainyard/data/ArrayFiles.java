package io.trainyard.data;

import java.nio.file.Path;
import java.util.List;

/// Named arrays that lie in one folder.
interface ArrayFiles extends AutoCloseable {
    /// Those of one file.
    ///
    /// @param file ends in `.npz`, or else it is safetensors
    static ArrayFiles of(Path file) {
        return file.getFileName().toString().endsWith(".npz") ? new NpzFile(file) : new SafetensorsFile(file);
    }

    /// The array's numbers.
    ///
    /// @throws DatasetException if there is none of this name, or it is broken
    NumberArray read(String name);

    boolean has(String name);

    /// Its shape, without reading its numbers where that takes time.
    ///
    /// @throws DatasetException if there is none of this name, or it is broken
    List<Long> shape(String name);

    @Override
    void close();

    /// `x_train.npy` and so on.
    record Npy(DataFolder folder) implements ArrayFiles {
        @Override
        public NumberArray read(String name) {
            return NpyReader.read(folder.file(List.of(name + ".npy")), name);
        }

        @Override
        public boolean has(String name) {
            return folder.find(List.of(name + ".npy")).isPresent();
        }

        @Override
        public List<Long> shape(String name) {
            return read(name).shape();
        }

        @Override
        public void close() {} // what is mapped stays so as long as somebody has it
    }
}
