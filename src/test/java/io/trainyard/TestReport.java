package io.trainyard;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/// Prints the skipped tests of a run with reasons, from the XML reports of Surefire and Failsafe. `./trainyard`
/// starts it without any library:
///
///     java -cp target/test-classes io.trainyard.TestReport [--slowest=COUNT] FOLDER...
public final class TestReport {
    private static final String SLOWEST = "--slowest=";
    private static final Pattern REASON =
            Pattern.compile("(?:TestAbortedException: (?:Assumption failed: )?|Assumption failed: )(.+)");

    /// A test class as one execution ran it.
    private record Suite(String name, double seconds, int tests, int failures) {}

    private final List<Suite> suites = new ArrayList<>();
    /// Names of skipped tests by reason.
    private final Map<String, List<String>> skipped = new TreeMap<>();

    private TestReport() {}

    public static void main(String[] arguments) throws Exception {
        TestReport report = new TestReport();
        int slowest = 0;
        for (String argument : arguments) {
            if (argument.startsWith(SLOWEST)) {
                slowest = Integer.parseInt(argument.substring(SLOWEST.length()));
            } else {
                report.read(Path.of(argument));
            }
        }
        System.out.print(report.text(slowest));
    }

    /// @param slowest how many classes to list with their times
    static String text(Path folder, int slowest) throws Exception {
        TestReport report = new TestReport();
        report.read(folder);
        return report.text(slowest);
    }

    private void read(Path folder) throws Exception {
        for (File file : reports(folder)) {
            Element suite = DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file)
                    .getDocumentElement();
            String name = suite.getAttribute("name").replaceFirst("^io\\.trainyard\\.", "");
            suites.add(new Suite(
                    name,
                    Double.parseDouble(suite.getAttribute("time").replace(",", "")),
                    Integer.parseInt(suite.getAttribute("tests")),
                    Integer.parseInt(suite.getAttribute("failures")) + Integer.parseInt(suite.getAttribute("errors"))));
            for (Node test = suite.getFirstChild(); test != null; test = test.getNextSibling()) {
                if (test instanceof Element element && element.getTagName().equals("testcase")) {
                    addSkip(name, element);
                }
            }
        }
    }

    private static List<File> reports(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches("TEST-.*\\.xml"))
                    .map(Path::toFile)
                    .sorted()
                    .toList();
        }
    }

    private void addSkip(String suite, Element test) {
        if (test.getElementsByTagName("skipped").item(0) instanceof Element skip) {
            String name = test.getAttribute("name");
            skipped.computeIfAbsent(reason(skip), _ -> new ArrayList<>())
                    .add(name.isEmpty() || suite.endsWith(name) ? suite : suite + "." + name);
        }
    }

    /// The reason in the annotation or assumption, without class name and stack trace.
    private static String reason(Element skip) {
        String text = skip.getAttribute("message").isEmpty() ? skip.getTextContent() : skip.getAttribute("message");
        Matcher words = REASON.matcher(text);
        return words.find() ? words.group(1).strip() : text.lines().findFirst().orElse("no reason given");
    }

    private String text(int slowest) {
        StringBuilder text = new StringBuilder("\n");
        int tests = suites.stream().mapToInt(Suite::tests).sum();
        int skips = skipped.values().stream().mapToInt(List::size).sum();
        List<String> failed = suites.stream()
                .filter(suite -> suite.failures() > 0)
                .map(Suite::name)
                .toList();
        if (slowest > 0) {
            text.append("The slowest test classes:\n");
            suites.stream()
                    .sorted(Comparator.comparingDouble(Suite::seconds).reversed())
                    .limit(slowest)
                    .forEach(suite ->
                            text.append(String.format(Locale.ROOT, "  %7.1f s  %s%n", suite.seconds(), suite.name())));
        }
        skipped.forEach((reason, names) -> {
            text.append("Skipped ")
                    .append(names.size())
                    .append(": ")
                    .append(reason)
                    .append('\n');
            new TreeSet<>(names.stream().map(TestReport::withoutParameters).toList())
                    .forEach(name -> text.append("  ").append(name).append('\n'));
        });
        text.append("%d tests in %d classes, %d skipped%s\n"
                .formatted(
                        tests,
                        suites.size(),
                        skips,
                        failed.isEmpty() ? "" : "; failures in " + String.join(", ", failed)));
        return text.toString();
    }

    /// One name for all rows of a parameterized test.
    private static String withoutParameters(String name) {
        return name.replaceFirst("[({\\[].*", "");
    }
}
