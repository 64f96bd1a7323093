package io.trainyard.kubernetes;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.trainyard.spec.Printable;
import java.net.HttpURLConnection;
import java.util.Objects;
import java.util.regex.Pattern;

/// A cluster's API server, which is asked for one thing alone: to patch pods. Nothing is read from it, so that the
/// right to that is enough.
public final class ApiServer implements Pods {
    /// For it to answer. It is asked again a moment later.
    private static final int TIMEOUT_MILLIS = 3_000;

    private static final int UNPROCESSABLE = 422;
    private static final int MAX_REASON = 300;

    /// A valid pod name. Other names belong to workers outside Kubernetes, or to attempts to call other
    /// addresses.
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private final KubernetesClient client;

    /// @param config where it is, and as whom it is asked
    ApiServer(Config config) {
        Config bounded = new ConfigBuilder(config)
                .withConnectionTimeout(TIMEOUT_MILLIS)
                .withRequestTimeout(TIMEOUT_MILLIS)
                .withRequestRetryBackoffLimit(0)
                .build();
        client = new KubernetesClientBuilder().withConfig(bounded).build();
    }

    /// In a pod, the API server of its cluster, with the service account's token, which is read again when it
    /// is replaced; otherwise the one that kubectl uses.
    public static ApiServer connect() {
        return new ApiServer(Config.autoConfigure(null));
    }

    /// Names a pod that it has not read: else the library would read it first.
    @Override
    public boolean mark(String pod, PodMark mark) {
        if (!NAME.matcher(pod).matches()) {
            return false;
        }
        try {
            var _ = client.pods()
                    .resource(new PodBuilder()
                            .withNewMetadata()
                            .withName(pod)
                            .endMetadata()
                            .build())
                    .patch(PatchContext.of(PatchType.JSON_MERGE), mark.patch());
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND || e.getCode() == UNPROCESSABLE) {
                return false;
            }
            throw new ApiServerException(reason(e), e);
        }
    }

    private static String reason(KubernetesClientException e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String said =
                Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName());
        return Printable.text(said, MAX_REASON);
    }

    @Override
    public void close() {
        client.close();
    }
}
