package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;

/// A checkpoint's name in a job: `<job id>` for the newest of that job, `<job id>/<step>`, or `<job id>/best` for that
/// of its best test. It is a name in the store, never a path. Repeated local runs of a job id are stored as
/// `<job id>~2`, `<job id>~3` and so on.
/// A name that ends in `.safetensors` is that of a file in the store.
///
/// @param job the folder's name in the store: a job's id, with the number of the run if there are several; or a file
/// @param step null: the newest or the best
/// @param best whether it is the checkpoint of the best test
public record CheckpointName(String job, @Nullable Long step, boolean best) {
    /// An id of 100 characters, the number of a run, and a step. Longer ones would overflow the stack of the
    /// regular expression.
    private static final int MAX_LENGTH = 130;

    private static final String BEST = "best";
    private static final String FILE_ENDING = ".safetensors";

    /// Each part begins with a letter or digit, so that a name never leads out of the store.
    private static final String FILE = "[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9][A-Za-z0-9._~-]*)*\\.safetensors";

    /// Regular expression of the text form.
    static final String FORM =
            "(?=.{1,%d}$)(%s|%s(~[1-9][0-9]{0,8})?(/([0-9]{1,18}|best))?)".formatted(MAX_LENGTH, FILE, JobSpec.ID);

    public CheckpointName {
        var _ = checked("checkpoint", text(job, step, best));
    }

    /// The newest checkpoint, or that of a step.
    public CheckpointName(String job, @Nullable Long step) {
        this(job, step, false);
    }

    /// @param field name of the field, for the message
    /// @throws InvalidJobException if the text is not the name of a checkpoint
    public static CheckpointName parse(String field, String text) {
        int slash = checked(field, text).indexOf('/');
        if (slash < 0 || text.endsWith(FILE_ENDING)) {
            return new CheckpointName(text, null);
        }
        String job = text.substring(0, slash);
        String which = text.substring(slash + 1);
        return which.equals(BEST) ? new CheckpointName(job, null, true) : new CheckpointName(job, Long.valueOf(which));
    }

    /// Whether it is the name of a file in the store.
    public boolean isFile() {
        return job.endsWith(FILE_ENDING);
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static CheckpointName read(String text) {
        return parse("initFrom", text);
    }

    private static String checked(String field, String text) {
        return Check.matching(
                field,
                text,
                FORM,
                "a job's id, or a job's id and a step or \"best\", such as \"tudui-1\", \"tudui-1/7820\" or \"tudui-1/best\", or a file of the store, such as \"pretrained/resnet18.safetensors\""
                        + (text.length() > MAX_LENGTH ? ", of at most %d characters".formatted(MAX_LENGTH) : ""));
    }

    private static String text(String job, @Nullable Long step, boolean best) {
        return job + (best ? "/" + BEST : step == null ? "" : "/" + step);
    }

    @Override
    @JsonValue
    public String toString() {
        return text(job, step, best);
    }
}
