/// The dashboard's REST API: data as JSON under `/api/v1`, the live stream, and control requests.
@NullMarked
package io.trainyard.dashboard.rest;

import org.jspecify.annotations.NullMarked;
