package io.trainyard.worker;

import io.trainyard.worker.WorkerService.Condition;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import java.util.function.Predicate;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Liveness;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/// Health checks for container probes: started, ready for jobs, alive.
@ApplicationScoped
class WorkerHealth {
    private static final String NAME = "worker";

    private final WorkerService worker;

    WorkerHealth(WorkerService worker) {
        this.worker = worker;
    }

    @Produces
    @Startup
    HealthCheck started() {
        return () -> answer(Condition::started);
    }

    @Produces
    @Readiness
    HealthCheck ready() {
        return () -> answer(condition -> condition.started() && condition.trouble() == null);
    }

    @Produces
    @Liveness
    HealthCheck alive() {
        return () -> answer(Condition::alive);
    }

    private HealthCheckResponse answer(Predicate<Condition> question) {
        Condition condition = worker.condition();
        HealthCheckResponseBuilder answer = HealthCheckResponse.named(NAME).status(question.test(condition));
        if (condition.trouble() != null) {
            answer.withData("trouble", condition.trouble());
        }
        return answer.build();
    }
}
