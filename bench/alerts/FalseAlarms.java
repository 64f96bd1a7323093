import io.trainyard.alert.Alert;
import io.trainyard.alert.AlertRules;
import io.trainyard.alert.AlertSettings;
import io.trainyard.alert.Rule;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// The number of alerts on curves of successful trainings; each is a false alarm.
///
///     java -cp target/classes:$(cat target/classpath) io.trainyard.cli.Trainyard train bench/alerts/curves.yaml --json > curves.jsonl
///     java -cp target/classes:$(cat target/classpath) bench/alerts/FalseAlarms.java curves.jsonl
///
/// The rules receive the events at their times, and check for late ones twice a second.
public final class FalseAlarms {
    private static final long LOOK_MILLIS = 500;

    public static void main(String[] args) throws Exception {
        for (double score : new double[] {5, 7, 10, 15, 20, 30, 50}) {
            AlertRules rules = new AlertRules(new AlertSettings(EnumSet.of(Rule.STALLED, Rule.SPIKE), 10, 60_000, score, 200, 10_000, List.of()), 0);
            Map<Rule, Integer> alarms = new TreeMap<>();
            Map<String, Integer> jobs = new TreeMap<>();
            long losses = 0;
            long now = 0;
            for (String line : Files.readAllLines(Path.of(args[0]))) {
                TimestampedEvent published = EventJson.readEvent(line.getBytes(java.nio.charset.StandardCharsets.UTF_8));
                long millis = published.time().toEpochMilli();
                for (now = now == 0 ? millis : now; now < millis; now += LOOK_MILLIS) {
                    count(rules.look(now), alarms, jobs);
                }
                count(rules.take(new EventRecord(published.event(), millis), millis), alarms, jobs);
                losses += published.event() instanceof StepLosses step ? step.losses().length : 0;
            }
            System.out.printf(Locale.ROOT, "| %.0f | %,d losses | %d spikes %s | %d stalled |%n", score, losses, alarms.getOrDefault(Rule.SPIKE, 0), jobs, alarms.getOrDefault(Rule.STALLED, 0));
        }
    }

    private static void count(List<Alert> alerts, Map<Rule, Integer> alarms, Map<String, Integer> jobs) {
        for (Alert alert : alerts) {
            alarms.merge(alert.rule(), 1, Integer::sum);
            jobs.merge((String) alert.data().get("job"), 1, Integer::sum);
        }
    }
}
