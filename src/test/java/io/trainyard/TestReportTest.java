package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestReportTest {
    @Test
    void skippedTestsAreListedByReason(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("TEST-io.trainyard.a.OneTest.xml"), """
            <testsuite name="io.trainyard.a.OneTest" time="1,002.5" tests="4" errors="0" skipped="3" failures="0">
              <testcase name="runs" classname="io.trainyard.a.OneTest" time="1"/>
              <testcase name="waits(int)[1]" classname="io.trainyard.a.OneTest"><skipped message="needs kcat"/></testcase>
              <testcase name="waits(int)[2]" classname="io.trainyard.a.OneTest"><skipped message="needs kcat"/></testcase>
              <testcase name="looks" classname="io.trainyard.a.OneTest">
                <skipped type="org.opentest4j.TestAbortedException"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: install chromium
            	at org.junit.jupiter.api.Assumptions.throwAssumptionFailed(Assumptions.java:340)]]></skipped>
              </testcase>
            </testsuite>
            """);
        Files.writeString(folder.resolve("TEST-io.trainyard.TwoTest.xml"), """
            <testsuite name="io.trainyard.TwoTest" time="0.5" tests="1" errors="1" skipped="0" failures="0">
              <testcase name="breaks" classname="io.trainyard.TwoTest" time="0.5"><error>no</error></testcase>
            </testsuite>
            """);
        assertThat(TestReport.text(folder, 1)).isEqualToIgnoringNewLines("""

            The slowest test classes:
               1002.5 s  a.OneTest
            Skipped 1: install chromium
              a.OneTest.looks
            Skipped 2: needs kcat
              a.OneTest.waits
            5 tests in 2 classes, 3 skipped; failures in TwoTest
            """);
    }

    @Test
    void aMissingReportFolderHasNoTests(@TempDir Path folder) throws Exception {
        assertThat(TestReport.text(folder.resolve("none"), 0)).contains("0 tests in 0 classes, 0 skipped\n");
    }
}
