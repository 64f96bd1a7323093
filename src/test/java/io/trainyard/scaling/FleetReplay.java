package io.trainyard.scaling;

import io.trainyard.scaling.FleetModel.Cluster;
import io.trainyard.scaling.FleetModel.Job;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A model that does what it is told, and nothing of its own accord.
public final class FleetReplay {
    /// What a worker takes from its start to its first claim.
    private static final long JOIN_MILLIS = 3_000;

    private FleetReplay() {}

    /// What is done to a fleet, and when.
    public sealed interface Order {
        long atMillis();

        record Submit(long atMillis, int job, int urgency) implements Order {}

        record Start(long atMillis, int worker) implements Order {}

        /// The worker that has a job is told to stop; where none has, nobody is.
        record Stop(long atMillis, int job) implements Order {}
    }

    /// An attempt at a job.
    public record Begun(int job, long atMillis) {}

    /// When each attempt at a job begins, in order.
    ///
    /// @param work of each job, in milliseconds
    public static List<Begun> run(List<Order> orders, Map<Integer, Long> work) {
        List<Job> jobs = orders.stream()
                .filter(Order.Submit.class::isInstance)
                .map(Order.Submit.class::cast)
                .map(order -> new Job(
                        order.job(), order.atMillis(), order.urgency(), Objects.requireNonNull(work.get(order.job()))))
                .toList();
        FleetModel model = new FleetModel(new Cluster(0, 0, 0, false), jobs, 0);
        for (Order order : orders) {
            switch (order) {
                case Order.Submit _ -> {
                    // it is among the jobs
                }
                case Order.Start start -> model.at(start.atMillis(), () -> model.start(start.atMillis() + JOIN_MILLIS));
                case Order.Stop stop ->
                    model.at(stop.atMillis(), () -> model.holder(stop.job()).ifPresent(model::stop));
            }
        }
        List<Begun> begun = new ArrayList<>();
        model.run().runs().forEach(run -> begun.add(new Begun(run.job(), run.fromMillis())));
        begun.sort(Comparator.comparingLong(Begun::atMillis));
        return begun;
    }
}
