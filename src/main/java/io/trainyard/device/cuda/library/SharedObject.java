package io.trainyard.device.cuda.library;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// A 64-bit little-endian ELF shared library as the dynamic loader reads it: through its program headers, not its
/// section headers. Lists the needed libraries, and can replace one of them.
///
/// The names of needed libraries are in one string table. If the file requires symbol versions, it also has the
/// hash of the version's name, and NVIDIA's version names contain the library name. So a needed library can be
/// replaced by one with a name of the same length: by changing the string and that hash, which differ in two bytes
/// for one digit.
///
/// Sources: System V ABI, "Program Loading" and "Dynamic Linking"; Linux Standard Base, "Symbol Versioning".
final class SharedObject {
    private static final int MAGIC = 0x464c457f; // 0x7f E L F
    private static final int HEADER_BYTES = 64;
    private static final int PROGRAM_HEADER_BYTES = 56;
    private static final int LOAD = 1;
    private static final int DYNAMIC = 2;
    private static final int DYNAMIC_ENTRY_BYTES = 16;
    private static final long NEEDED = 1;
    private static final long STRING_TABLE = 5;
    private static final long STRING_TABLE_BYTES = 10;
    private static final long VERSIONS_NEEDED = 0x6ffffffeL;
    private static final long VERSIONS_NEEDED_COUNT = 0x6fffffffL;
    private static final int VERSION_BYTES = 16; // of Elf64_Verneed and of Elf64_Vernaux

    private final ByteBuffer file;
    private final List<Segment> segments = new ArrayList<>();
    /// File offset of the string table.
    private int strings;

    private long stringBytes;
    /// File offsets of the names of needed libraries.
    private final List<Integer> needed = new ArrayList<>();
    /// File offsets for required symbol versions: of the names of libraries and versions, and of the versions'
    /// hashes.
    private final List<Integer> versionedLibraries = new ArrayList<>();

    private final List<VersionName> versions = new ArrayList<>();

    /// A mapped part of the file.
    private record Segment(long address, long offset, long bytes) {}

    /// @param hashAt file offset of the hash
    private record VersionName(int nameAt, int hashAt) {}

    /// @throws IllegalArgumentException if the bytes are not such a file, or have offsets outside it
    SharedObject(byte[] bytes) {
        file = ByteBuffer.wrap(bytes.clone()).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.length < HEADER_BYTES || file.getInt(0) != MAGIC || file.get(4) != 2 || file.get(5) != 1) {
            throw malformed("it does not begin as a 64-bit little-endian ELF file");
        }
        long dynamicAt = -1;
        long dynamicBytes = 0;
        long headers = file.getLong(32);
        int headerBytes = Short.toUnsignedInt(file.getShort(54));
        if (headerBytes < PROGRAM_HEADER_BYTES) {
            throw malformed("its program headers have %d bytes, not %d".formatted(headerBytes, PROGRAM_HEADER_BYTES));
        }
        for (int i = 0; i < Short.toUnsignedInt(file.getShort(56)); i++) {
            int header = within(headers + (long) i * headerBytes, PROGRAM_HEADER_BYTES);
            long offset = file.getLong(header + 8);
            long bytesThere = file.getLong(header + 32);
            switch (file.getInt(header)) {
                case LOAD -> segments.add(new Segment(file.getLong(header + 16), offset, bytesThere));
                case DYNAMIC -> {
                    dynamicAt = offset;
                    dynamicBytes = bytesThere;
                }
                default -> {} // other entries do not refer to libraries
            }
        }
        if (dynamicAt < 0) {
            throw malformed("it has no dynamic section, so it is not a shared library");
        }
        readDynamic(dynamicAt, dynamicBytes);
    }

    private void readDynamic(long dynamicAt, long dynamicBytes) {
        List<Long> neededNames = new ArrayList<>();
        long stringAddress = -1;
        long versionAddress = -1;
        long versionCount = 0;
        for (long at = dynamicAt; at < dynamicAt + dynamicBytes; at += DYNAMIC_ENTRY_BYTES) {
            int entry = within(at, DYNAMIC_ENTRY_BYTES);
            long tag = file.getLong(entry);
            long value = file.getLong(entry + 8);
            if (tag == 0) {
                break;
            } else if (tag == NEEDED) {
                neededNames.add(value);
            } else if (tag == STRING_TABLE) {
                stringAddress = value;
            } else if (tag == STRING_TABLE_BYTES) {
                stringBytes = value;
            } else if (tag == VERSIONS_NEEDED) {
                versionAddress = value;
            } else if (tag == VERSIONS_NEEDED_COUNT) {
                versionCount = value;
            }
        }
        strings = offsetOf(stringAddress);
        if (stringBytes <= 0 || file.get(within(strings + stringBytes - 1, 1)) != 0) {
            throw malformed("its string table does not end with a zero");
        }
        neededNames.forEach(name -> needed.add(nameAt(name)));
        if (versionCount > 0) {
            readVersions(offsetOf(versionAddress), versionCount);
        }
    }

    /// Each entry has the offset of the next one, always increasing; 0 marks the last.
    private void readVersions(long first, long count) {
        long at = first;
        long next = 1;
        for (long i = 0; i < count && next != 0; i++) {
            int library = within(at, VERSION_BYTES);
            versionedLibraries.add(nameAt(Integer.toUnsignedLong(file.getInt(library + 4))));
            readVersionNames(
                    at + Integer.toUnsignedLong(file.getInt(library + 8)),
                    Short.toUnsignedInt(file.getShort(library + 2)));
            next = Integer.toUnsignedLong(file.getInt(library + 12));
            at += next;
        }
    }

    private void readVersionNames(long first, int count) {
        long at = first;
        long next = 1;
        for (int i = 0; i < count && next != 0; i++) {
            int version = within(at, VERSION_BYTES);
            versions.add(new VersionName(nameAt(Integer.toUnsignedLong(file.getInt(version + 8))), version));
            next = Integer.toUnsignedLong(file.getInt(version + 12));
            at += next;
        }
    }

    /// The names of the needed libraries, in loading order.
    List<String> needed() {
        return needed.stream().map(this::name).toList();
    }

    /// The file's bytes with `to` needed instead of `from`; unchanged if `to` is already needed.
    ///
    /// @param to a name of the same length
    /// @throws IllegalArgumentException if neither is needed, or other parts of the file would have to change
    byte[] retargeted(String from, String to) {
        if (from.length() != to.length()) {
            throw new IllegalArgumentException(
                    "a library's name can only be replaced by one as long, not %s by %s".formatted(from, to));
        }
        if (!needed().contains(from)) {
            if (needed().contains(to)) {
                return file.array().clone();
            }
            throw new IllegalArgumentException(
                    "it needs neither %s nor %s, but %s".formatted(from, to, String.join(", ", needed())));
        }
        ByteBuffer changed = ByteBuffer.wrap(file.array().clone()).order(ByteOrder.LITTLE_ENDIAN);
        Set<Integer> names = new TreeSet<>(needed);
        names.addAll(versionedLibraries);
        for (VersionName version : versions) {
            if (name(version.nameAt()).equals(from)) {
                if (file.getInt(version.hashAt()) != hash(from)) {
                    throw malformed("the hash beside the version %s is not that name's".formatted(from));
                }
                changed.putInt(version.hashAt(), hash(to));
                names.add(version.nameAt());
            }
        }
        names.removeIf(at -> !name(at).equals(from));
        for (int at : names) {
            if (file.get(at - 1) != 0) {
                throw malformed("%s is also the end of a longer name".formatted(from));
            }
            changed.put(at, to.getBytes(StandardCharsets.US_ASCII));
        }
        return changed.array();
    }

    /// System V ABI, "Hash Table".
    static int hash(String name) {
        int hash = 0;
        for (byte c : name.getBytes(StandardCharsets.US_ASCII)) {
            hash = (hash << 4) + c;
            int high = hash & 0xf0000000;
            hash = (hash ^ high >>> 24) & ~high;
        }
        return hash;
    }

    /// The file offset of a name in the string table, which begins with an empty name.
    private int nameAt(long number) {
        if (number <= 0 || number >= stringBytes) {
            throw malformed("a name is at %d of a string table of %d bytes".formatted(number, stringBytes));
        }
        return Math.toIntExact(strings + number);
    }

    /// Up to the next zero, which always exists because the table ends with one.
    private String name(int at) {
        int end = at;
        while (file.get(end) != 0) {
            end++;
        }
        return new String(file.array(), at, end - at, StandardCharsets.US_ASCII);
    }

    /// The file offset of an address in the loaded library.
    private int offsetOf(long address) {
        for (Segment segment : segments) {
            long into = address - segment.address();
            if (into >= 0 && into < segment.bytes()) {
                return within(segment.offset() + into, 1);
            }
        }
        throw malformed("no part of it is loaded at address " + address);
    }

    private int within(long offset, int bytes) {
        if (offset < 0 || offset > file.capacity() - bytes) {
            throw malformed(
                    "it has %d bytes, but %d bytes at %d are requested".formatted(file.capacity(), bytes, offset));
        }
        return (int) offset;
    }

    private static IllegalArgumentException malformed(String what) {
        return new IllegalArgumentException("not a shared library that can be read: " + what);
    }
}
