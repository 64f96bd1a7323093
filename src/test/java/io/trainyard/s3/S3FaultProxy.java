package io.trainyard.s3;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A proxy in front of an S3 server that injects faults of networks and servers. It parses as little HTTP as
/// possible; each request has its own connection to the server.
public final class S3FaultProxy implements AutoCloseable {
    private static final Pattern LENGTH = Pattern.compile("(?im)^content-length: *([0-9]+)");

    private final ServerSocket listening;
    private final int server;
    private final Collection<Socket> open = new ConcurrentLinkedQueue<>();
    private final List<Request> seen = new java.util.concurrent.CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Rule rule = _ -> Fate.ARRIVES;

    /// A request, as it was sent.
    ///
    /// @param line its method and target
    /// @param headers one per line
    public record Request(String line, String headers) {
        public boolean writes() {
            return !line.startsWith("GET ") && !line.startsWith("HEAD ");
        }

        /// @param method the HTTP method
        /// @param text part of the path or query
        public boolean is(String method, String text) {
            return line.startsWith(method + " ") && line.contains(text);
        }
    }

    /// The fate of a request.
    public sealed interface Fate {
        Fate ARRIVES = new Arrives();
        Fate HANGS = new Hangs();

        /// Passes through unchanged.
        record Arrives() implements Fate {}

        /// Never gets an answer.
        record Hangs() implements Fate {}

        /// The server processes it, but the answer is lost.
        record AnswerLost() implements Fate {}

        /// The answer breaks off in the middle of its body.
        record Torn() implements Fate {}

        /// Is refused before it reaches the server.
        record Refused(int status, String code) implements Fate {}

        /// Reports success to the client if the server refuses to overwrite an existing object.
        record Pretends() implements Fate {}
    }

    /// Decides the fate of each request; thread-safe.
    @FunctionalInterface
    public interface Rule {
        Fate fate(Request request);
    }

    public S3FaultProxy(S3Server server) {
        this.server = server.port();
        try {
            listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var _ = Thread.ofVirtual().name("s3-fault-proxy").start(this::accept);
    }

    public URI endpoint() {
        return S3Server.endpoint(listening.getLocalPort());
    }

    public void rule(Rule now) {
        rule = now;
    }

    public List<Request> seen() {
        return List.copyOf(seen);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                open.add(client);
                if (closed.getCount() == 0) { // arrived during the shutdown
                    client.close();
                    return;
                }
                var _ = Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException _) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            String head = head(in);
            if (head.isEmpty()) {
                return;
            }
            byte[] body = in.readNBytes(length(head));
            int line = head.indexOf("\r\n");
            Request request = new Request(head.substring(0, line), head.substring(line + 2));
            seen.add(request);
            OutputStream out = client.getOutputStream();
            switch (rule.fate(request)) {
                case Fate.Arrives _ -> out.write(asked(head, body));
                case Fate.AnswerLost _ -> {
                    var _ = asked(head, body);
                }
                case Fate.Hangs _ -> closed.await();
                case Fate.Torn _ -> {
                    byte[] answer = asked(head, body);
                    out.write(Arrays.copyOf(answer, answer.length - length(text(answer)) / 2));
                }
                case Fate.Refused refused -> out.write(refusal(request, refused));
                case Fate.Pretends _ -> out.write(pretended(asked(head, body)));
            }
            out.flush();
        } catch (IOException | InterruptedException _) { // the client sees a closed connection
        } finally {
            open.remove(client);
        }
    }

    /// The server's answer.
    private byte[] asked(String head, byte[] body) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server)) {
            open.add(socket);
            OutputStream out = socket.getOutputStream();
            out.write(closing(head).getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
            out.flush();
            byte[] answer = socket.getInputStream().readAllBytes();
            open.remove(socket);
            return answer;
        }
    }

    /// Prevents further requests on the connection, on both sides.
    private static String closing(String head) {
        String without = head.replaceAll("(?im)^connection:.*\r\n", "");
        return without.substring(0, without.length() - 2) + "Connection: close\r\n\r\n";
    }

    private static byte[] pretended(byte[] answer) {
        return text(answer).startsWith("HTTP/1.1 412")
                ? "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.ISO_8859_1)
                : answer;
    }

    private static byte[] refusal(Request request, Fate.Refused refused) {
        String body = request.line().startsWith("HEAD ")
                ? ""
                : "<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>by the test, of %s</Message></Error>"
                        .formatted(refused.code(), S3Server.SECRET);
        return "HTTP/1.1 %d Refused\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
                .formatted(refused.status(), body.length(), body)
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Includes the empty line at the end; empty if the connection ends first.
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || !head.substring(head.length() - 4).equals("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.append((char) next);
        }
        return head.toString();
    }

    private static int length(String head) {
        Matcher length = LENGTH.matcher(head);
        return length.find() ? Integer.parseInt(length.group(1)) : 0;
    }

    private static String text(byte[] answer) {
        String all = new String(answer, StandardCharsets.ISO_8859_1);
        return all.substring(0, all.indexOf("\r\n\r\n") + 4);
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            listening.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
