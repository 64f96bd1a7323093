package io.trainyard.jobfile;

import io.trainyard.share.ProjectRules;
import io.trainyard.share.ProjectsFile;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Printable;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

public final class ProjectFiles {
    private ProjectFiles() {}

    /// What a file says of projects; of no file, [ProjectRules#NONE].
    ///
    /// @throws InvalidJobException if it cannot be read, or something is wrong in it; names the file
    public static ProjectRules read(Optional<Path> file) {
        return file.map(Path::toString).map(ProjectFiles::read).orElse(ProjectRules.NONE);
    }

    private static ProjectRules read(String file) {
        try {
            return ProjectsFile.read(JobFiles.tree(file, InputStream.nullInputStream()));
        } catch (InvalidJobException e) {
            String label = Printable.text(file, 200);
            String message = String.valueOf(e.getMessage());
            throw message.startsWith(label) ? e : new InvalidJobException("%s: %s".formatted(label, message), e);
        }
    }
}
