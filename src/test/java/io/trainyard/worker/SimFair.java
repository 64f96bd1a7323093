package io.trainyard.worker;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.topics.Priority;
import io.trainyard.worker.SimKafka.Weather;
import io.trainyard.worker.SimTraining.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// A fleet that several projects share, in a simulated world: real workers, and waiting jobs of each project.
/// The share of each project is measured from published records, and its quota is checked whenever an attempt
/// begins.
final class SimFair extends SimFleet {
    private static final Duration BOUND = Duration.ofHours(2);
    private static final Duration CHAOS = Duration.ofMinutes(3);

    /// @param kind of its jobs
    /// @param priority of its jobs
    /// @param jobs how many it submits in total
    /// @param from when it submits them
    record Work(ProjectRule rule, Kind kind, Priority priority, int jobs, Duration from) {}

    /// @param window of the rules
    /// @param slots of each worker
    record Setting(Duration window, int workers, int slots, List<Work> projects) {}

    private record Begun(String project, int attempt, SimProcess worker, long nanos) {}

    private final Setting setting;
    private final ProjectShares.Rules rules;
    private final List<String> jobs = new ArrayList<>();
    private final Set<String> controlled = new LinkedHashSet<>();
    private final Map<String, Begun> running = new LinkedHashMap<>();
    private final Map<String, Double> usedSeconds = new TreeMap<>(); // seconds of running jobs
    private long sinceNanos;

    SimFair(long seed, SimSeams seams, Setting setting) {
        super(seed, "fair", seams);
        this.setting = setting;
        Map<String, ProjectRule> named = new HashMap<>();
        for (int i = 0; i < setting.projects().size(); i++) {
            named.put("p" + (i + 1), setting.projects().get(i).rule());
        }
        rules = new ProjectShares.Rules(
                new ProjectRules(setting.window(), ProjectRule.PLAIN, named),
                (double) setting.window().toMillis() / fleet.beat().toMillis());
        judge.onEvent(this::receive);
        kafka.weather(new Weather(Duration.ofMillis(5), 0, 0));
        submitAll();
        for (int i = 0; i < setting.workers(); i++) {
            startWorker();
        }
    }

    private void submitAll() {
        for (int i = 0; i < setting.projects().size(); i++) {
            Work work = setting.projects().get(i);
            for (int j = 1; j <= work.jobs(); j++) {
                String job = work.kind().id(SimTraining.number(i + 1, j));
                jobs.add(job);
                SimTimer _ = world.after(
                        work.from().plusMillis(chance.nextInt(2000)), () -> people.submit(job, work.priority()));
            }
        }
    }

    @Override
    SimWorker worker(SimProcess process) {
        return super.worker(process).slots(setting.slots()).sharing(rules);
    }

    @Override
    Duration absence() {
        return Duration.ofMillis(chance.nextInt(20_000));
    }

    private void receive(EventRecord record) {
        String job = record.job();
        switch (record.event()) {
            case TrainingEvent.Claimed claimed -> begin(job, claimed);
            case TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Paused _,
                    TrainingEvent.Released _ -> end(job);
            default -> {} // the attempt continues
        }
    }

    private void begin(String job, TrainingEvent.Claimed claimed) {
        end(job);
        String project = SimTraining.project(job);
        SimProcess process = world.known(String.valueOf(claimed.worker()));
        if (process == null) {
            return;
        }
        running.put(job, new Begun(project, claimed.attempt(), process, world.nanos()));
        List<String> over =
                running.keySet().stream().filter(one -> !isAtWork(one)).toList();
        over.forEach(this::end);
        int now = (int) running.values().stream()
                .filter(begun -> begun.project().equals(project))
                .count();
        Integer quota = rules.projects().of(project).running();
        if (quota != null && now > quota) {
            wrong.add("project %s has %d jobs running at %d s, and may have %d: %s"
                    .formatted(project, now, world.nanos() / 1_000_000_000L, quota, running.keySet()));
        }
    }

    /// Whether the newest attempt runs: its end is not stored, and its worker lives.
    private boolean isAtWork(String job) {
        Begun begun = running.get(job);
        return begun != null
                && store.chain(job).lastKey() <= begun.attempt()
                && !begun.worker().isCrashed();
    }

    private void end(String job) {
        Begun begun = running.remove(job);
        if (begun != null) {
            usedSeconds.merge(
                    begun.project(), (world.nanos() - Math.max(begun.nanos(), sinceNanos)) / 1e9, Double::sum);
        }
    }

    /// Runs the world for a time.
    ///
    /// @return the share of the used time that each project had
    Map<String, Double> shares(Duration time) {
        usedSeconds.clear();
        sinceNanos = world.nanos();
        world.run(time);
        Map<String, Double> all = new TreeMap<>(usedSeconds);
        running.values()
                .forEach(begun -> all.merge(
                        begun.project(), (world.nanos() - Math.max(begun.nanos(), sinceNanos)) / 1e9, Double::sum));
        double sum = all.values().stream().mapToDouble(Double::doubleValue).sum();
        all.replaceAll((_, its) -> its / sum);
        return all;
    }

    /// From now on replaces one worker after another.
    void replaceAll(Duration every) {
        for (int i = 0; i < setting.workers(); i++) {
            SimProcess process = workers.get(i).process();
            SimTimer _ = world.after(every.multipliedBy(i + 1L), process::crash);
        }
    }

    /// Injects this number of faults, and pauses, cancels or reprioritizes some jobs; then each job must end.
    ///
    /// @return violations, as sentences
    List<String> run(int faults) {
        if (faults > 0) {
            perils.share(List.of(0.0, 0.002, 0.01).get(chance.nextInt(3)));
            kafka.weather(new Weather(Duration.ofMillis(50), chance.nextInt(3) * 0.05, 0.01));
        }
        for (int i = 0; i < faults; i++) {
            SimTimer _ = world.after(Duration.ofMillis(chance.nextInt((int) CHAOS.toMillis())), this::goWrong);
        }
        world.run(CHAOS);
        endFaults();
        controlled.forEach(job -> desiredState(job, DesiredState.RUN));
        if (!world.runUntil(world.everySecond(() -> jobs.stream().allMatch(this::isOver)), BOUND)) {
            wrong.add("not over: " + jobs.stream().filter(job -> !isOver(job)).toList());
        }
        world.run(Duration.ofSeconds(120));
        wrong.addAll(judge.wrong());
        return wrong;
    }

    private void goWrong() {
        if (workers.isEmpty()) {
            return;
        }
        SimWorker some = some();
        String job = jobs.get(chance.nextInt(jobs.size()));
        switch (chance.nextInt(10)) {
            case 0, 1 -> some.process().crash();
            case 2 -> some.stop();
            case 3 -> some.process().freeze(Duration.ofSeconds(List.of(3, 40).get(chance.nextInt(2))));
            case 4 -> kafka.restart(Duration.ofSeconds(chance.nextBoolean() ? 5 : 40));
            case 5 -> kafka.compactSomething();
            case 6 -> people.submit(job, Priority.HIGH); // as `reprioritize` does
            case 7 -> desiredState(job, DesiredState.CANCEL);
            default -> {
                controlled.add(job);
                desiredState(job, DesiredState.PAUSE);
            }
        }
    }

    private void desiredState(String job, DesiredState desiredState) {
        if (isOver(job)) {
            return;
        }
        people.desiredState(job, desiredState);
    }
}
