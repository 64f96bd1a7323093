package io.trainyard.device.cuda.library;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.trainyard.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Uses JCuda's real native libraries from their jars.
class SharedObjectTest {
    private static final String JCUDNN = "libJCudnn-11.7.0-linux-x86_64.so";

    @ParameterizedTest
    @CsvSource({
        JCUDNN + ", libcudnn.so.8, libcudnn.so.9",
        "libJCublas2-12.6.0-linux-x86_64.so, libcublas.so.12, libcublas.so.13",
        "libJNvrtc-12.6.0-linux-x86_64.so, libnvrtc.so.12, libnvrtc.so.13"
    })
    void replacesANeededLibrary(String file, String from, String to) {
        byte[] original = jcuda(file);
        byte[] changed = new SharedObject(original).retargeted(from, to);

        assertThat(new SharedObject(original).needed()).contains(from).doesNotContain(to);
        assertThat(new SharedObject(changed).needed())
                .isEqualTo(new SharedObject(original)
                        .needed().stream()
                                .map(name -> name.equals(from) ? to : name)
                                .toList());
        // A digit of the name, and the last byte of the version name's hash, which is that digit's.
        List<Integer> differences = differences(original, changed);
        assertThat(differences).hasSize(2);
        assertThat(differences)
                .anySatisfy(at -> assertThat(string(changed, at - to.length() + 1, to.length()))
                        .isEqualTo(to));
        assertThat(differences).anySatisfy(at -> {
            assertThat(word(original, at)).isEqualTo(SharedObject.hash(from));
            assertThat(word(changed, at)).isEqualTo(SharedObject.hash(to));
        });
    }

    @Test
    void keepsAnAlreadyPatchedLibrary() {
        byte[] original = jcuda(JCUDNN);
        byte[] once = new SharedObject(original).retargeted("libcudnn.so.8", "libcudnn.so.9");
        assertThat(new SharedObject(once).retargeted("libcudnn.so.8", "libcudnn.so.9"))
                .isEqualTo(once);
        assertThat(new SharedObject(once).retargeted("libcudnn.so.9", "libcudnn.so.8"))
                .isEqualTo(original);
    }

    /// The values that every loader and linker uses.
    @Test
    void namesHaveTheHashOfTheSystemsInterface() {
        assertThat(SharedObject.hash("printf")).isEqualTo(0x077905a6);
        assertThat(SharedObject.hash("exit")).isEqualTo(0x0006cf04);
        assertThat(SharedObject.hash("GLIBC_2.2.5")).isEqualTo(0x09691a75);
    }

    @Test
    void aNameOfAnotherLengthIsRefused() {
        assertThatThrownBy(() -> new SharedObject(jcuda(JCUDNN)).retargeted("libcudnn.so.8", "libcudnn.so.10"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a library's name can only be replaced by one as long, not libcudnn.so.8 by libcudnn.so.10");
    }

    @Test
    void rejectsALibraryThatNeedsNeither() {
        assertThatThrownBy(() -> new SharedObject(jcuda(JCUDNN)).retargeted("libother.so.8", "libother.so.9"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("it needs neither libother.so.8 nor libother.so.9, but libcudnn.so.8, ");
    }

    @Test
    void rejectsAHashOfAnotherName() {
        byte[] file = jcuda(JCUDNN);
        byte[] changed = new SharedObject(file).retargeted("libcudnn.so.8", "libcudnn.so.9");
        for (int at : differences(file, changed)) {
            if (word(file, at) == SharedObject.hash("libcudnn.so.8")) {
                file[at]++;
            }
        }
        assertThatThrownBy(() -> new SharedObject(file).retargeted("libcudnn.so.8", "libcudnn.so.9"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("the hash beside the version libcudnn.so.8 is not that name's");
    }

    @Test
    void rejectsOtherFiles() {
        assertRefused(new byte[0], "it does not begin as a 64-bit little-endian ELF file");
        assertRefused("#!/bin/sh\n".repeat(20).getBytes(US_ASCII), "it does not begin as a 64-bit");
        byte[] narrow = jcuda(JCUDNN);
        narrow[4] = 1; // 32-bit
        assertRefused(narrow, "it does not begin as a 64-bit");
        byte[] big = jcuda(JCUDNN);
        big[5] = 2; // big-endian
        assertRefused(big, "it does not begin as a 64-bit");
        byte[] noHeaders = jcuda(JCUDNN);
        noHeaders[56] = 0; // the number of program headers
        assertRefused(noHeaders, "it has no dynamic section, so it is not a shared library");
    }

    @Test
    void rejectsATruncatedFile() {
        byte[] whole = jcuda(JCUDNN);
        assertRefused(Arrays.copyOf(whole, whole.length / 2), "are requested");
        assertRefused(Arrays.copyOf(whole, 100), "are requested");
    }

    /// However a file is damaged, the answer is a sentence, and it comes at once.
    @Test
    void aBrokenFileNeverLeadsOutsideIt() {
        byte[] whole = jcuda(JCUDNN);
        List<Integer> changes =
                differences(whole, new SharedObject(whole).retargeted("libcudnn.so.8", "libcudnn.so.9"));
        Random random = new Random(4);
        for (int round = 0; round < 500; round++) {
            byte[] broken = whole.clone();
            for (int i = 0; i < 4; i++) {
                // Damages the headers at the beginning, or the area around the names and versions.
                int at = random.nextBoolean()
                        ? random.nextInt(700)
                        : changes.get(random.nextInt(changes.size())) - 200 + random.nextInt(400);
                broken[at] = (byte) random.nextInt(256);
            }
            try {
                var _ = new SharedObject(broken).retargeted("libcudnn.so.8", "libcudnn.so.9");
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
    }

    @Test
    void readelfReportsTheSame(@TempDir Path folder) throws IOException, InterruptedException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/readelf")),
                "there is no /usr/bin/readelf: install Debian's package binutils");
        Path file = Files.write(
                folder.resolve("changed.so"),
                new SharedObject(jcuda(JCUDNN)).retargeted("libcudnn.so.8", "libcudnn.so.9"));
        Process readelf = new ProcessBuilder(
                        "/usr/bin/readelf", "--wide", "--dynamic", "--version-info", file.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(readelf.getInputStream().readAllBytes(), US_ASCII);
        assertThat(Patience.exitStatus(readelf)).isZero();
        assertThat(output)
                .contains("Shared library: [libcudnn.so.9]", "File: libcudnn.so.9", "Name: libcudnn.so.9")
                .doesNotContain("libcudnn.so.8", "Warning", "Error");
    }

    private static void assertRefused(byte[] file, String why) {
        assertThatThrownBy(() -> new SharedObject(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    private static List<Integer> differences(byte[] one, byte[] other) {
        assertThat(other).hasSameSizeAs(one);
        return IntStream.range(0, one.length)
                .filter(at -> one[at] != other[at])
                .boxed()
                .toList();
    }

    private static int word(byte[] file, int at) {
        return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
    }

    private static String string(byte[] file, int at, int length) {
        return new String(file, at, length, US_ASCII);
    }

    static byte[] jcuda(String file) {
        try (InputStream in = SharedObjectTest.class.getResourceAsStream("/lib/" + file)) {
            assertThat(in).as(file).isNotNull();
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
