package io.trainyard.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;

/// Key pairs of servers on this machine, made with Java's keytool: a self-signed certificate for `localhost`
/// only.
final class TestKeys {
    private static final String TYPE = "PKCS12";

    private TestKeys() {}

    /// The owner's key store.
    static Path keys(Path folder, String owner) {
        return folder.resolve(owner + ".p12");
    }

    /// A trust store with the owner's certificate only.
    static Path trusted(Path folder, String owner) {
        return folder.resolve(owner + "-trusted.p12");
    }

    /// Makes both files.
    ///
    /// @param password of both
    static void make(Path folder, String owner, String password) throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        owner,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        TYPE,
                        "-keystore",
                        keys(folder, owner).toString(),
                        "-storepass",
                        password)
                .redirectErrorStream(true)
                .start();
        assertThat(keytool.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        KeyStore own = KeyStore.getInstance(TYPE);
        try (InputStream in = Files.newInputStream(keys(folder, owner))) {
            own.load(in, password.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance(TYPE);
        trusted.load(null, null);
        trusted.setCertificateEntry(owner, own.getCertificate(owner));
        try (OutputStream out = Files.newOutputStream(trusted(folder, owner))) {
            trusted.store(out, password.toCharArray());
        }
    }
}
