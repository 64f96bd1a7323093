package io.trainyard.dashboard.rest;

import java.net.InetAddress;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The names by which a server may be addressed: localhost, every loopback address, and some more.
final class HostNames {
    private static final String LOCALHOST = "localhost";

    /// An IPv6 address in brackets, or a name or IPv4 address; a port.
    private static final Pattern AUTHORITY = Pattern.compile("(?:\\[([^\\[\\]]+)]|([^:\\[\\]/@]+))(?::[0-9]*)?");

    private final Set<String> more;

    /// @param more without ports; the wildcard addresses are no names
    HostNames(Collection<String> more) {
        this.more = more.stream()
                .map(HostNames::plain)
                .filter(name -> !isAddress(name, InetAddress::isAnyLocalAddress))
                .collect(Collectors.toUnmodifiableSet());
    }

    /// Whether a `Host` header, with a port or without, names this server.
    boolean contain(String authority) {
        Matcher parts = AUTHORITY.matcher(authority);
        if (!parts.matches()) {
            return false;
        }
        String host = plain(parts.group(1) == null ? parts.group(2) : parts.group(1));
        return host.equals(LOCALHOST) || isAddress(host, InetAddress::isLoopbackAddress) || more.contains(host);
    }

    private static String plain(String host) {
        String lower = host.strip().toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /// Asks no name server.
    private static boolean isAddress(String host, Predicate<InetAddress> kind) {
        try {
            return kind.test(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException _) {
            return false;
        }
    }
}
