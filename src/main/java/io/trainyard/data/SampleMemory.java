package io.trainyard.data;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/// Allocates memory for samples that are decoded, converted or selected, and so cannot be mapped.
@FunctionalInterface
interface SampleMemory {
    /// Outside of Java's heap, within the limit of this process.
    SampleMemory PROCESS = SampleMemory::ofProcess;

    /// @param bytes size of the zeroed memory, which is freed by the garbage collector
    /// @param what its content, for the message
    /// @throws DatasetException if there is not enough memory
    MemorySegment allocate(long bytes, String what);

    /// In unlinked files, so samples may exceed the memory: the operating system pages them out.
    ///
    /// @param folder with enough disk space
    static SampleMemory inFiles(Path folder) {
        return (bytes, what) -> ofFile(folder, bytes, what);
    }

    private static MemorySegment ofProcess(long bytes, String what) {
        try {
            return Arena.ofAuto().allocate(bytes, Float.BYTES);
        } catch (OutOfMemoryError e) { // of the limit on memory outside the heap; the process continues
            throw new DatasetException(
                    "%s: it takes %d MiB, more than this process may have outside its heap; pack it with ./trainyard dataset convert, because packed datasets may be larger than memory, or give Java more with -XX:MaxDirectMemorySize"
                            .formatted(what, bytes >> 20),
                    e);
        }
    }

    private static MemorySegment ofFile(Path folder, long bytes, String what) {
        Path file = folder.resolve(".samples-" + UUID.randomUUID());
        try {
            long freeBytes = Files.getFileStore(folder).getUsableSpace();
            if (freeBytes < bytes) { // otherwise a write to the mapped file would end in SIGBUS
                throw new DatasetException("%s takes %d MiB in %s, where %d MiB are free; free some space there"
                        .formatted(what, bytes >> 20, folder, freeBytes >> 20));
            }
            try (FileChannel channel = FileChannel.open(
                    file,
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.DELETE_ON_CLOSE)) {
                return channel.map(MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
            }
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }
}
