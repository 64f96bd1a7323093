/// Alerts: rules find problems in a fleet's records, and a signed webhook call reports each one, with retries.
/// Pending alerts are in the tracking store, so that a restart neither loses nor repeats an alert.
@NullMarked
package io.trainyard.alert;

import org.jspecify.annotations.NullMarked;
