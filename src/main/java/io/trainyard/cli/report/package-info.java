/// What the check of a device reports while it goes: text for people, JSON for programs.
@NullMarked
package io.trainyard.cli.report;

import org.jspecify.annotations.NullMarked;
