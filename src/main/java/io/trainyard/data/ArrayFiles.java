package io.trainyard.data;

import java.nio.file.Path;
import java.util.List;

/// Named arrays in one folder.
interface ArrayFiles extends AutoCloseable {
    /// @param file ends in `.npz`, or is a safetensors file
    static ArrayFiles of(Path file) {
        return file.getFileName().toString().endsWith(".npz") ? new NpzFile(file) : new SafetensorsFile(file);
    }

    NumberArray read(String name);

    boolean has(String name);

    /// The shape. Reads no values if the format allows it.
    ///
    /// @throws DatasetException if the array does not exist or is broken
    List<Long> shape(String name);

    @Override
    void close();

    /// One file for each array: `x_train.npy` and so on.
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
        public void close() {} // the garbage collector unmaps the files
    }
}
