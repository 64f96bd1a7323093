package io.trainyard.spec;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/// Patterns of names in a network: of a parameter, or of a layer or group of layers, for all parameters in it. `*`
/// stands for any characters, `?` for one.
final class NamePatterns {
    private static final int MOST = 1000;
    private static final int MOST_LISTED = 30;

    private final List<String> patterns;
    private final List<Pattern> compiled;

    private NamePatterns(List<String> patterns) {
        this.patterns = patterns;
        compiled = patterns.stream().map(NamePatterns::compile).toList();
    }

    /// @param field of a job
    /// @param parameters of the network
    /// @throws InvalidJobException if a pattern matches none of them
    static NamePatterns of(String field, List<String> patterns, List<ParameterSpec> parameters) {
        List<String> names = parameters.stream()
                .filter(ParameterSpec::trained)
                .map(ParameterSpec::name)
                .toList();
        List<String> norms = parameters.stream()
                .filter(spec -> spec.init() instanceof ParameterSpec.Init.Counter)
                .map(spec -> spec.name().substring(0, spec.name().lastIndexOf('.')))
                .toList();
        for (int i = 0; i < patterns.size(); i++) {
            NamePatterns one = new NamePatterns(List.of(patterns.get(i)));
            if (names.stream().noneMatch(one::match) && norms.stream().noneMatch(one::match)) {
                throw unmatched("%s[%d]".formatted(field, i), patterns.get(i), names);
            }
        }
        return new NamePatterns(patterns);
    }

    /// Checks the length and the characters of each pattern.
    static List<String> check(String field, List<String> patterns) {
        List<String> complete = Check.complete(field, patterns);
        Check.between("the number of patterns in " + field, complete.size(), 1, MOST);
        for (int i = 0; i < complete.size(); i++) {
            Check.matching(
                    "%s[%d]".formatted(field, i),
                    complete.get(i),
                    "[A-Za-z0-9_.*?]{1,200}",
                    "1 to 200 letters, digits, underscores, dots, * for any characters and ? for one, such as \"layer1.*\"");
        }
        return complete;
    }

    private static Pattern compile(String pattern) {
        return Pattern.compile(
                pattern.replace(".", "\\.").replaceAll("\\*+", ".*").replace('?', '.') + "(\\..*)?");
    }

    private static InvalidJobException unmatched(String field, String pattern, List<String> names) {
        Set<String> known = new LinkedHashSet<>();
        for (String name : names) {
            for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
                known.add(name.substring(0, dot));
            }
            known.add(name);
        }
        List<String> near = SimilarNames.of(pattern.replaceAll("(\\.?[*?])+$", ""), known);
        List<String> listed = new ArrayList<>(names.subList(0, Math.min(MOST_LISTED, names.size())));
        if (names.size() > MOST_LISTED) {
            listed.add("... (%d in all)".formatted(names.size()));
        }
        return new InvalidJobException("%s is \"%s\", which matches no parameter or layer of the network%s; it has %s"
                .formatted(
                        field,
                        pattern,
                        near.isEmpty() ? "" : "; did you mean \"%s\"?".formatted(near.getFirst()),
                        String.join(", ", listed)));
    }

    /// Whether a pattern matches the whole name, or a layer or group of layers that the name belongs to.
    boolean match(String name) {
        return compiled.stream().anyMatch(pattern -> pattern.matcher(name).matches());
    }

    @Override
    public String toString() {
        return patterns.toString();
    }
}
