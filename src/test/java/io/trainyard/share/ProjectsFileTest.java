package io.trainyard.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.spec.InvalidJobException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Valid project files, and error messages for invalid ones.
class ProjectsFileTest {
    private static ProjectRules read(String json) throws Exception {
        return ProjectsFile.read(new JsonMapper().readTree(json.replace('\'', '"')));
    }

    @Test
    void readsEveryField() throws Exception {
        ProjectRules rules = read(
                "{'window': '30m', 'projects': {'vision': {'weight': 3, 'running': 8, 'waiting': 1000}, 'speech': {}, 'night': {'weight': 0.5, 'running': 0}}, 'others': {'weight': 2, 'waiting': 0}}");
        assertThat(rules)
                .isEqualTo(new ProjectRules(
                        Duration.ofMinutes(30),
                        new ProjectRule(2, null, 0),
                        Map.of(
                                "vision", new ProjectRule(3, 8, 1000),
                                "speech", new ProjectRule(1, null, null),
                                "night", new ProjectRule(0.5, 0, null))));
        assertThat(rules.of("speech")).isEqualTo(ProjectRule.PLAIN);
        assertThat(rules.of("unheard-of")).isEqualTo(rules.others());
        assertThat(rules.isNone()).isFalse();
        assertThat(ProjectRules.NONE.isNone()).isTrue();
    }

    @Test
    void missingFieldsHaveDefaults() throws Exception {
        ProjectRules rules = read("{'projects': {'a': null}}");
        assertThat(rules.window()).isEqualTo(Duration.ofHours(1));
        assertThat(rules.others()).isEqualTo(ProjectRule.PLAIN);
        assertThat(rules.named()).containsExactly(Map.entry("a", ProjectRule.PLAIN));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[] | the file is []; allowed is an object with window, projects, others",
                "{'project': {}} | the file has \"project\", which is unknown; allowed are window, projects, others",
                "{'projects': []} | projects is []; allowed is an object with project names with weights and quotas",
                "{'projects': {'a': {'wieght': 3}}} | projects.a has \"wieght\", which is unknown; allowed are weight, running, waiting",
                "{'projects': {'a/b': {}}} | the name of a project is \"a/b\"; allowed is 1 to 63 letters, digits, hyphens, underscores and single dots between them, beginning with a letter or digit",
                "{'projects': {'a': {'weight': 0}}} | projects.a.weight is 0; allowed is a number above 0 up to 1,000,000",
                "{'projects': {'a': {'weight': '3'}}} | projects.a.weight is \"3\"; allowed is a number above 0 up to 1,000,000",
                "{'projects': {'a': {'running': -1}}} | projects.a.running is -1; allowed is a whole number from 0 to 1,000,000, or no value for unlimited",
                "{'projects': {'a': {'waiting': 1.5}}} | projects.a.waiting is 1.5; allowed is a whole number from 0 to 1,000,000, or no value for unlimited",
                "{'others': 3} | others is 3; allowed is an object with weight, running, waiting",
                "{'window': '1 hour'} | window is \"1 hour\"; allowed is a time from 1m to 30d, such as \"90s\", \"30m\", \"1h\" or \"7d\"",
                "{'window': '59s'} | window is \"59s\"; allowed is a time from 1m to 30d, such as \"90s\", \"30m\", \"1h\" or \"7d\"",
                "{'window': 3600} | window is 3600; allowed is a time from 1m to 30d, such as \"90s\", \"30m\", \"1h\" or \"7d\"",
                "{} | the file is empty: it has no projects, no window and no others; add a project, or omit the file",
            })
    void rejectsInvalidFiles(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(message);
    }

    @Test
    void namedProjectsAreLimited() {
        StringBuilder many = new StringBuilder("{'projects': {'p': {}");
        for (int i = 0; i < ProjectsFile.MAX_PROJECTS; i++) {
            many.append(", 'p").append(i).append("': {}");
        }
        assertThatThrownBy(() -> read(many + "}}")).hasMessage("projects has 1001; allowed is up to 1000");
    }
}
