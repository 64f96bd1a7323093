package io.trainyard.spec;

import java.nio.charset.StandardCharsets;

/// Commands as people write them, with apostrophes for quotes.
final class JobTexts {
    private JobTexts() {}

    static JobSpec read(String json) {
        return JobJson.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    static String job(String more) {
        return "{'id': 'a', 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1, %s}".formatted(more);
    }

    static String evaluation(String more) {
        return "{'id': 'a', 'kind': 'evaluate', 'network': 'lenet', 'dataset': 'mnist', %s}".formatted(more);
    }

    static String id(String id) {
        return "{'id': %s, 'network': 'lenet', 'dataset': 'mnist', 'epochs': 1}".formatted(id);
    }

    static String dataset(String dataset) {
        return "{'id': 'a', 'network': 'lenet', 'dataset': %s, 'epochs': 1}".formatted(dataset);
    }

    static String normalize(String mean, String std) {
        return dataset("{'name': 'mnist', 'normalize': {'mean': %s, 'std': %s}}".formatted(mean, std));
    }

    static String augment(String augment) {
        return dataset("{'name': 'mnist', 'augment': %s}".formatted(augment));
    }

    static String network(String network) {
        return "{'id': 'a', 'network': %s, 'dataset': 'mnist', 'epochs': 1}".formatted(network);
    }

    static String layers(String layers) {
        return network("{'layers': [%s]}".formatted(layers));
    }

    static String loss(String fields) {
        return job("'loss': {%s}".formatted(fields));
    }

    static String optimizer(String fields) {
        return job("'optimizer': {%s}".formatted(fields));
    }

    static String schedule(String fields) {
        return job("'schedule': {%s}".formatted(fields));
    }
}
