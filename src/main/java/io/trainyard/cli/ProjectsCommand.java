package io.trainyard.cli;

import io.trainyard.cli.terminal.TextTable;
import io.trainyard.cli.watch.JobRecordReader;
import io.trainyard.event.JobStates;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "projects",
        description = "Lists the projects of the fleet: weights, quotas and usage.",
        footer = {"  ./trainyard projects --projects projects.yaml", "  ./trainyard projects --json"})
public final class ProjectsCommand extends FleetCommand {
    private static final int MAX_JOBS = 100_000;

    @Option(names = "--json", description = "Print a JSON object per project, one per line.")
    private boolean json;

    @Mixin
    private ProjectsOptions projects = new ProjectsOptions();

    @Override
    public Integer call() {
        JobStates book = JobRecordReader.readAll(kafka.cluster(), MAX_JOBS, terminal.err()::println);
        var rows = ProjectRows.of(projects.rules(), book.jobs(), System.currentTimeMillis());
        if (json) {
            for (var row : rows) {
                terminal.printJson(row);
            }
        } else {
            List<List<String>> table = new ArrayList<>(List.of(ProjectRows.TITLES));
            rows.forEach(row -> table.add(ProjectRows.cells(row)));
            TextTable.lines(table, column -> column > 0).forEach(terminal.out()::println);
        }
        terminal.out().flush();
        return ExitCodes.OK;
    }
}
