package io.trainyard.device;

/// Everything a session carries from step to step.
///
/// @param model parameters and buffers under their `state_dict()` names
/// @param optimizer the optimizer's state under `<parameter>.<slot>`, such as `conv1.weight.momentum_buffer`; empty
///     for an optimizer without state, and acceptable empty by any: then it starts from zero
public record SessionState(Parameters model, Parameters optimizer) {}
