package io.trainyard.jobfile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.spec.InvalidJobException;
import java.io.StringReader;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;

/// Converts YAML to JSON trees, resolving anchors, aliases and merge keys. It uses SnakeYAML, because Jackson's
/// YAML module does not resolve aliases. The graph of nodes is checked before it is expanded, because a small
/// file with aliases can represent an endless tree, or a key that takes forever to hash.
final class YamlTrees {
    /// Values of a file with all aliases followed.
    static final int MAX_NODES = 1_000_000;

    private static final int MAX_DEPTH = 50;

    /// Marks a node whose children are being counted.
    private static final Extent OPEN = new Extent(0, 0);

    private final IdentityHashMap<Node, Extent> extents = new IdentityHashMap<>();

    private final int maxNodes;

    private YamlTrees(int maxNodes) {
        this.maxNodes = maxNodes;
    }

    /// How large a node's tree is with its aliases followed.
    private record Extent(long nodes, int depth) {}

    /// The documents of one file, in order; empty documents are left out.
    ///
    /// @param maxCharacters longer text is refused
    /// @param maxNodes more values are refused before any is built: each takes hundreds of bytes
    /// @throws InvalidJobException if it is not YAML, or too much of it
    static List<JsonNode> read(String text, int maxCharacters, int maxNodes) {
        LoaderOptions options = options(maxCharacters);
        Documents constructor = new Documents(options);
        Yaml yaml = new Yaml(
                constructor, new Representer(new DumperOptions()), new DumperOptions(), options, new JsonScalars());
        YamlTrees trees = new YamlTrees(maxNodes);
        List<JsonNode> documents = new ArrayList<>();
        long nodes = 0;
        try {
            trees.requireAllowed(values(yaml, text), 0);
            for (Node node : yaml.composeAll(new StringReader(text))) {
                nodes += trees.extent(node).nodes();
                trees.requireAllowed(nodes, 0);
                Object document = constructor.construct(node);
                if (document != null) {
                    documents.add(tree(document));
                }
            }
        } catch (MarkedYAMLException e) {
            throw new InvalidJobException(
                    "it is not YAML: %s (line %d, column %d)"
                            .formatted(
                                    e.getProblem(),
                                    e.getProblemMark() == null
                                            ? 0
                                            : e.getProblemMark().getLine() + 1,
                                    e.getProblemMark() == null
                                            ? 0
                                            : e.getProblemMark().getColumn() + 1),
                    e);
        } catch (YAMLException e) {
            throw new InvalidJobException("it is not YAML: " + e.getMessage(), e);
        }
        return documents;
    }

    private static LoaderOptions options(int maxCharacters) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(maxCharacters);
        options.setAllowDuplicateKeys(false);
        options.setNestingDepthLimit(MAX_DEPTH);
        // SnakeYAML counts aliases, and its limit of 50 is less than a list of jobs over one base needs, yet enough for
        // a tree that fills the memory. The nodes are counted here instead.
        options.setMaxAliasesForCollections(MAX_NODES);
        return options;
    }

    private static final class Documents extends SafeConstructor {
        Documents(LoaderOptions options) {
            super(options);
        }

        @Nullable
        Object construct(Node document) {
            return constructDocument(document);
        }
    }

    /// Takes time by the size of the file, and not of the tree.
    ///
    /// @throws InvalidJobException if the tree is too large, contains itself, or has a key that is no scalar
    private Extent extent(Node node) {
        Extent known = extents.putIfAbsent(node, OPEN);
        if (known != null && known.nodes() == 0) {
            throw new InvalidJobException(
                    "a value contains itself by an alias (%s); write it out".formatted(place(node)));
        }
        if (known != null) {
            return known;
        }
        long nodes = 1;
        int depth = 0;
        for (Node child : children(node)) {
            Extent below = extent(child);
            nodes += below.nodes();
            depth = Math.max(depth, below.depth() + 1);
            requireAllowed(nodes, depth);
        }
        Extent extent = new Extent(nodes, depth);
        extents.put(node, extent);
        return extent;
    }

    private static List<Node> children(Node node) {
        return switch (node) {
            case SequenceNode list -> list.getValue();
            case MappingNode map ->
                map.getValue().stream()
                        .map(entry -> {
                            if (!(entry.getKeyNode() instanceof ScalarNode)) {
                                throw new InvalidJobException("a key is a list or a map (%s); allowed are texts"
                                        .formatted(place(entry.getKeyNode())));
                            }
                            return entry.getValueNode();
                        })
                        .toList();
            default -> List.of();
        };
    }

    private static String place(Node node) {
        return "line %d, column %d"
                .formatted(
                        node.getStartMark().getLine() + 1, node.getStartMark().getColumn() + 1);
    }

    /// As they stand in the text; read one by one.
    private static long values(Yaml yaml, String text) {
        long values = 0;
        for (Event event : yaml.parse(new StringReader(text))) {
            values += event.is(Event.ID.Scalar) || event instanceof CollectionStartEvent ? 1 : 0;
        }
        return values;
    }

    private void requireAllowed(long nodes, int depth) {
        if (nodes > maxNodes || depth > MAX_DEPTH) {
            throw new InvalidJobException(
                    "with its aliases followed, it has more than %d values or is more than %d levels deep; write less, or in several files"
                            .formatted(maxNodes, MAX_DEPTH));
        }
    }

    private static JsonNode tree(@Nullable Object value) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (value) {
            case null -> json.nullNode();
            case Map<?, ?> map -> {
                ObjectNode object = json.objectNode();
                map.forEach((key, child) -> object.set(String.valueOf(key), tree(child)));
                yield object;
            }
            case List<?> list -> {
                ArrayNode array = json.arrayNode();
                list.forEach(child -> array.add(tree(child)));
                yield array;
            }
            case Boolean flag -> json.booleanNode(flag);
            case Integer number -> json.numberNode(number);
            case Long number -> json.numberNode(number);
            case BigInteger number -> json.numberNode(number);
            case Double number -> json.numberNode(number);
            case String string -> json.textNode(string);
            default ->
                throw new InvalidJobException(
                        "a value of the kind %s has no place in a job; allowed are texts, numbers, true, false, lists and maps"
                                .formatted(value.getClass().getSimpleName()));
        };
    }

    /// Plain scalars mean what they mean in YAML 1.2's core schema. YAML 1.1 reads `1e-3` as text, `no` as false and
    /// `2026-01-01` as a date.
    private static final class JsonScalars extends Resolver {
        @Override
        protected void addImplicitResolvers() {
            addImplicitResolver(Tag.BOOL, Pattern.compile("true|True|TRUE|false|False|FALSE"), "tTfF");
            addImplicitResolver(Tag.INT, Pattern.compile("[-+]?(0|[1-9][0-9]{0,99})"), "-+0123456789");
            addImplicitResolver(
                    Tag.FLOAT,
                    Pattern.compile("[-+]?(\\.[0-9]{1,99}|[0-9]{1,99}(\\.[0-9]{0,99})?)([eE][-+]?[0-9]{1,9})?"),
                    "-+0123456789.");
            addImplicitResolver(Tag.MERGE, Pattern.compile("<<"), "<");
            addImplicitResolver(Tag.NULL, Pattern.compile("~|null|Null|NULL| "), "~nN\0");
            addImplicitResolver(Tag.NULL, Pattern.compile(""), null);
        }
    }
}
