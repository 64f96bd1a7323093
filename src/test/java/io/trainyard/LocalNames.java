package io.trainyard;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolver.LookupPolicy;
import java.net.spi.InetAddressResolverProvider;
import java.util.stream.Stream;

/// Resolves names that end in `.localhost` to this machine (RFC 6761) in test JVMs, because not all systems do.
/// Tests use it for buckets in host names. The JVM finds it in `META-INF/services`.
public final class LocalNames extends InetAddressResolverProvider {
    private static final String ENDING = ".localhost";

    @Override
    public InetAddressResolver get(Configuration configuration) {
        InetAddressResolver system = configuration.builtinResolver();
        return new InetAddressResolver() {
            @Override
            public Stream<InetAddress> lookupByName(String host, LookupPolicy policy) throws UnknownHostException {
                return system.lookupByName(host.endsWith(ENDING) ? ENDING.substring(1) : host, policy);
            }

            @Override
            public String lookupByAddress(byte[] address) throws UnknownHostException {
                return system.lookupByAddress(address);
            }
        };
    }

    @Override
    public String name() {
        return "names of this machine";
    }
}
