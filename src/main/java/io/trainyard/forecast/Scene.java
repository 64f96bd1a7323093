package io.trainyard.forecast;

import java.util.List;
import java.util.Map;

/// What is looked ahead from.
///
/// @param line those that wait and that somebody will take, in their order
/// @param rooms by urgent job of the line the one that makes room for it
record Scene(Fleet fleet, Projects projects, List<WaitingLine.Place> line, Map<String, String> rooms) {}
