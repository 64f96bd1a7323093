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

/// Where samples lie that are not as a network takes them in their files: decoded, converted or picked ones.
@FunctionalInterface
interface SampleMemory {
    /// Outside of Java's heap; no more than this process may have there.
    SampleMemory PROCESS = SampleMemory::ofProcess;

    /// @param bytes how many, all zero; given back once nobody has them any more
    /// @param what lies there, for the message
    /// @throws DatasetException if there is no room
    MemorySegment allocate(long bytes, String what);

    /// In files that nobody sees, so that there may be more than fits memory: the system writes out what it has no room
    /// for.
    ///
    /// @param folder where there is room for them
    static SampleMemory inFiles(Path folder) {
        return (bytes, what) -> ofFile(folder, bytes, what);
    }

    private static MemorySegment ofProcess(long bytes, String what) {
        try {
            return Arena.ofAuto().allocate(bytes, Float.BYTES);
        } catch (OutOfMemoryError e) { // of the limit on memory outside the heap, which ends nothing
            throw new DatasetException(
                    "%s: it takes %d MiB, more than this process may have beside its heap; pack it with ./trainyard dataset convert, for packed sets may be larger than memory, or give Java more with -XX:MaxDirectMemorySize"
                            .formatted(what, bytes >> 20),
                    e);
        }
    }

    private static MemorySegment ofFile(Path folder, long bytes, String what) {
        Path file = folder.resolve(".samples-" + UUID.randomUUID());
        try {
            long room = Files.getFileStore(folder).getUsableSpace();
            if (room < bytes) { // else writing to the mapped file would end in an error of the machine
                throw new DatasetException("%s takes %d MiB in %s, where %d MiB are free; make room there"
                        .formatted(what, bytes >> 20, folder, room >> 20));
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
