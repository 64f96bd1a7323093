package io.trainyard.cli;

import io.trainyard.jobfile.ProjectFiles;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.InvalidJobException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The option with the projects file.
final class ProjectsOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--projects",
            paramLabel = "FILE",
            defaultValue = "${env:TRAINYARD_PROJECTS:-}",
            description = "Weights and quotas of projects, JSON or YAML (default: TRAINYARD_PROJECTS, or none).")
    private String file = "";

    private Optional<Path> path() {
        return file.isBlank() ? Optional.empty() : Optional.of(Path.of(file));
    }

    /// Reads the file.
    ///
    /// @throws ParameterException if it is invalid or does not exist
    ProjectRules rules() {
        try {
            return ProjectFiles.read(path());
        } catch (InvalidJobException e) {
            throw new ParameterException(command.commandLine(), "--projects: " + e.getMessage(), e);
        }
    }

    /// The option as Quarkus settings, after validation of the file.
    Map<String, String> settings() {
        var _ = rules();
        return path().map(path ->
                        Map.of("trainyard.projects", path.toAbsolutePath().toString()))
                .orElse(Map.of());
    }
}
