/// The dashboard's REST: what it knows as JSON under `/api/v1`, the live stream, and what people ask of jobs.
@NullMarked
package io.trainyard.dashboard.rest;

import org.jspecify.annotations.NullMarked;
