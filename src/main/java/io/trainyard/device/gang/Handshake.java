package io.trainyard.device.gang;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import jdk.net.ExtendedSocketOptions;

/// How two parts know one another: each proves that it knows the crew's secret, of the same job and attempt, without
/// saying it. All lengths have limits, and every read a bound: whoever says something else, or nothing, is left.
///
///     the one that listens        version, 16 random bytes, the job, its attempt, how many parts, the leader's name
///     the one that connects       16 random bytes, its worker, host and port, its rank (-1: none yet), its proof
///     the one that listens        its own proof
///
/// A proof is HMAC-SHA-256, with the secret, of all that was said.
final class Handshake {
    /// What both must speak; little-endian numbers are part of it.
    static final int VERSION = 0x54594701; // TYG, 1

    /// Of one who connects, and has no rank yet.
    static final int UNRANKED = -1;

    /// Between a word and the next.
    static final int TIMEOUT_MILLIS = 5_000;

    /// A machine that is gone is noticed after three times as long.
    private static final int KEEPALIVE_SECONDS = 5;

    private static final int KEEPALIVES = 3;
    private static final int NONCE = 16;
    private static final int PROOF = 32;
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private Handshake() {}

    /// Another part, with a connection to it.
    record Peer(int rank, Self self, SocketChannel channel) {
        Peer ranked(int number) {
            return new Peer(number, self, channel);
        }

        String worker() {
            return self.worker();
        }
    }

    static DataInputStream input(SocketChannel channel) throws IOException {
        return new DataInputStream(channel.socket().getInputStream());
    }

    static DataOutputStream output(SocketChannel channel) throws IOException {
        return new DataOutputStream(channel.socket().getOutputStream());
    }

    /// How one that connects can be reached by the others.
    record Self(String worker, String host, int port) {}

    /// Takes in one who has connected.
    ///
    /// @throws IOException if it is none of the crew
    static Peer accept(SocketChannel channel, Crew crew) throws IOException {
        prepare(channel);
        DataInputStream in = input(channel);
        DataOutputStream out = output(channel);
        byte[] own = nonce();
        out.writeInt(VERSION);
        out.write(own);
        out.writeUTF(crew.job());
        out.writeInt(crew.attempt());
        out.writeInt(crew.count());
        out.writeUTF(crew.leader());
        byte[] other = in.readNBytes(NONCE);
        Self self = new Self(in.readUTF(), in.readUTF(), in.readInt());
        int rank = in.readInt();
        String said = words(crew, self, rank);
        requireProof(in.readNBytes(PROOF), proof(crew, "connects", own, other, said));
        out.write(proof(crew, "listens", own, other, said));
        return new Peer(rank, self, channel);
    }

    /// Makes itself known to one that listens.
    ///
    /// @param secret that both know
    /// @return whom it is for
    /// @throws IOException if that is none of the crew, or does not want this one
    static Crew greet(SocketChannel channel, byte[] secret, Self self, int rank) throws IOException {
        prepare(channel);
        DataInputStream in = input(channel);
        DataOutputStream out = output(channel);
        int version = in.readInt();
        if (version != VERSION) {
            throw new IOException("it speaks version %x and not %x".formatted(version, VERSION));
        }
        byte[] other = in.readNBytes(NONCE);
        Crew crew = new Crew(in.readUTF(), in.readInt(), in.readInt(), in.readUTF(), secret);
        byte[] own = nonce();
        String said = words(crew, self, rank);
        out.write(own);
        out.writeUTF(self.worker());
        out.writeUTF(self.host());
        out.writeInt(self.port());
        out.writeInt(rank);
        out.write(proof(crew, "connects", other, own, said));
        requireProof(in.readNBytes(PROOF), proof(crew, "listens", other, own, said));
        return crew;
    }

    private static void prepare(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) { // else after hours
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVES);
        }
        channel.socket().setSoTimeout(TIMEOUT_MILLIS);
    }

    private static byte[] nonce() {
        byte[] bytes = new byte[NONCE];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    private static String words(Crew crew, Self self, int rank) {
        return "%s\n%d\n%d\n%s\n%s\n%s\n%d\n%d"
                .formatted(
                        crew.job(),
                        crew.attempt(),
                        crew.count(),
                        crew.leader(),
                        self.worker(),
                        self.host(),
                        self.port(),
                        rank);
    }

    private static byte[] proof(Crew crew, String who, byte[] listener, byte[] connecting, String said) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(crew.secret(), ALGORITHM));
            mac.update(who.getBytes(StandardCharsets.UTF_8));
            mac.update(listener);
            mac.update(connecting);
            return mac.doFinal(said.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    private static void requireProof(byte[] given, byte[] expected) throws IOException {
        if (!MessageDigest.isEqual(given, expected)) {
            throw new IOException("it does not know the secret of those who train the job");
        }
    }
}
