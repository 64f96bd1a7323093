#!/usr/bin/env python3
"""Records the learning rate that PyTorch's schedulers give each step of a job.

    python3 schedules.py [DIR]      writes DIR/schedules.jsonl; DIR is the folder of this file if not given

Requires only torch. A line for each schedule, as a job writes it: the optimizer's learning rate, the job's size, and the rates of all its
steps. The first 17 were recorded with torch 2.13.0+cpu; the others with 1.13.1, which gives the same bits for those 17.

"warmup" is LinearLR on the same optimizer as the scheduler it warms up for, stepped with each batch; the other is stepped after its epoch's last
batch. OneCycleLR and CosineAnnealingWarmRestarts cannot share an optimizer: they overwrite the rate, so LinearLR's factor is lost. Their
rates are recorded alone and multiplied with those that LinearLR alone gives a rate of 1.
"""
import json
import os
import sys

import torch

# learning rate, epochs, steps in an epoch, schedule
SCHEDULES = [
    (0.1, 3, 4, {"type": "constant"}),
    (0.1, 10, 3, {"type": "step", "stepSize": 3}),
    (0.2, 7, 2, {"type": "step", "stepSize": 1, "gamma": 0.9}),
    (0.1, 9, 3, {"type": "multiStep", "milestones": [2, 3, 7], "gamma": 0.5}),
    (0.1, 3, 3, {"type": "multiStep", "milestones": [1, 90]}),
    (0.1, 12, 3, {"type": "cosine"}),
    (0.05, 7, 2, {"type": "cosine", "minLearningRate": 0.001}),
    (0.05, 1, 5, {"type": "cosine"}),
    (0.1, 4, 10, {"type": "oneCycle", "maxLearningRate": 0.4}),
    (0.1, 3, 7, {"type": "oneCycle", "maxLearningRate": 0.1, "pctStart": 0.25, "divFactor": 10, "finalDivFactor": 0.07}),
    (0.1, 2, 4, {"type": "oneCycle", "maxLearningRate": 0.1, "pctStart": 0.0}),
    (0.1, 2, 4, {"type": "oneCycle", "maxLearningRate": 0.1, "pctStart": 1.0}),
    (0.1, 1, 2, {"type": "oneCycle", "maxLearningRate": 0.1}),
    (0.1, 3, 5, {"type": "warmup", "steps": 7}),
    (0.1, 6, 4, {"type": "warmup", "steps": 10, "startFactor": 0.01, "then": {"type": "cosine"}}),
    (0.1, 5, 3, {"type": "warmup", "steps": 100, "startFactor": 0.5, "then": {"type": "step", "stepSize": 2, "gamma": 0.5}}),
    (0.1, 4, 3, {"type": "warmup", "steps": 1, "startFactor": 1.0, "then": {"type": "multiStep", "milestones": [2]}}),
    # the minimum above 0: ends within an epoch, at an epoch's end, after the job, in the first epoch, with its first step, over long epochs
    (0.1, 5, 8, {"type": "warmup", "steps": 12, "startFactor": 0.1, "then": {"type": "cosine", "minLearningRate": 0.01}}),
    (0.1, 6, 4, {"type": "warmup", "steps": 8, "startFactor": 0.2, "then": {"type": "cosine", "minLearningRate": 0.03}}),
    (0.1, 7, 3, {"type": "warmup", "steps": 50, "startFactor": 0.001, "then": {"type": "cosine", "minLearningRate": 0.02}}),
    (0.1, 4, 9, {"type": "warmup", "steps": 5, "then": {"type": "cosine", "minLearningRate": 0.05}}),
    (0.1, 5, 3, {"type": "warmup", "steps": 4, "startFactor": 1.0, "then": {"type": "cosine", "minLearningRate": 0.01}}),
    (0.001, 3, 40, {"type": "warmup", "steps": 70, "startFactor": 0.05, "then": {"type": "cosine", "minLearningRate": 0.0001}}),
    (0.1, 30, 1, {"type": "warmup", "steps": 20, "startFactor": 0.01, "then": {"type": "cosine", "minLearningRate": 0.09}}),
    (0.1, 6, 4, {"type": "warmup", "steps": 10, "startFactor": 0.1, "then": {"type": "step", "stepSize": 2, "gamma": 0.3}}),
    (0.2, 6, 4, {"type": "warmup", "steps": 10, "startFactor": 0.1, "then": {"type": "multiStep", "milestones": [1, 2, 4], "gamma": 0.4}}),
    (0.1, 4, 5, {"type": "warmup", "steps": 8, "startFactor": 0.1, "then": {"type": "oneCycle", "maxLearningRate": 0.4}}),
    (0.1, 9, 3, {"type": "exponential", "gamma": 0.8}),
    (0.1, 8, 2, {"type": "polynomial"}),
    (0.1, 9, 3, {"type": "polynomial", "power": 2.5}),
    (0.1, 8, 2, {"type": "cosineRestarts", "periodEpochs": 3}),
    (0.1, 23, 2, {"type": "cosineRestarts", "periodEpochs": 2, "periodFactor": 3, "minLearningRate": 0.01}),
    (0.1, 12, 1, {"type": "cosineRestarts", "periodEpochs": 1, "periodFactor": 2}),
    (0.1, 6, 4, {"type": "warmup", "steps": 10, "startFactor": 0.1, "then": {"type": "exponential", "gamma": 0.7}}),
    (0.1, 6, 4, {"type": "warmup", "steps": 10, "startFactor": 0.1, "then": {"type": "polynomial", "power": 0.5}}),
    (0.1, 6, 4, {"type": "warmup", "steps": 10, "startFactor": 0.1, "then": {"type": "cosineRestarts", "periodEpochs": 2}}),
    (0.1, 4, 10, {"type": "oneCycle", "maxLearningRate": 0.4, "cycleMomentum": True}),
    (0.1, 3, 7, {"type": "oneCycle", "maxLearningRate": 0.1, "pctStart": 0.4, "cycleMomentum": True, "baseMomentum": 0.5, "maxMomentum": 0.99}),
]


OVERWRITING = ("oneCycle", "cosineRestarts")  # they overwrite another scheduler's rate


def schedulers(spec, optimizer, epochs, steps_per_epoch):
    """The schedulers of a job's "schedule" field: those to step after each step, and those to step after each epoch."""
    kinds = torch.optim.lr_scheduler
    kind = spec["type"] if spec else "constant"
    if kind == "constant":
        return [], []
    if kind == "step":
        return [], [kinds.StepLR(optimizer, spec["stepSize"], spec.get("gamma", 0.1))]
    if kind == "multiStep":
        return [], [kinds.MultiStepLR(optimizer, spec["milestones"], spec.get("gamma", 0.1))]
    if kind == "cosine":
        return [], [kinds.CosineAnnealingLR(optimizer, epochs, spec.get("minLearningRate", 0.0))]
    if kind == "exponential":
        return [], [kinds.ExponentialLR(optimizer, spec["gamma"])]
    if kind == "polynomial":
        return [], [kinds.PolynomialLR(optimizer, epochs, spec.get("power", 1.0))]
    if kind == "cosineRestarts":
        return [], [kinds.CosineAnnealingWarmRestarts(optimizer, spec["periodEpochs"], spec.get("periodFactor", 1), spec.get("minLearningRate", 0.0))]
    if kind == "oneCycle":
        return [kinds.OneCycleLR(optimizer, spec["maxLearningRate"], epochs * steps_per_epoch, pct_start=spec.get("pctStart", 0.3),
                                 div_factor=spec.get("divFactor", 25.0), final_div_factor=spec.get("finalDivFactor", 1e4),
                                 cycle_momentum=spec.get("cycleMomentum", False), base_momentum=spec.get("baseMomentum", 0.85),
                                 max_momentum=spec.get("maxMomentum", 0.95))], []
    if spec.get("then", {}).get("type") in OVERWRITING:
        raise ValueError("it overwrites what LinearLR made of the optimizer's rate: step each with an optimizer of its own")
    after_step, after_epoch = schedulers(spec.get("then"), optimizer, epochs, steps_per_epoch)
    return after_step + [kinds.LinearLR(optimizer, spec.get("startFactor", 1 / 3), total_iters=spec["steps"])], after_epoch


def rates(learning_rate, spec, epochs, steps_per_epoch, key="lr"):
    """The learning rate of each step, or another number that the scheduler sets."""
    if spec.get("then", {}).get("type") in OVERWRITING:
        factors = rates(1.0, {**spec, "then": {"type": "constant"}}, epochs, steps_per_epoch)
        return [f * r for f, r in zip(factors, rates(learning_rate, spec["then"], epochs, steps_per_epoch))]
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=learning_rate, momentum=0.9)
    after_step, after_epoch = schedulers(spec, optimizer, epochs, steps_per_epoch)
    values = []
    for _ in range(epochs):
        for _ in range(steps_per_epoch):
            values.append(optimizer.param_groups[0][key])
            optimizer.step()
            for scheduler in after_step if len(values) < epochs * steps_per_epoch else []:
                scheduler.step()
        for scheduler in after_epoch:
            scheduler.step()
    return values


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(target, "schedules.jsonl"), "w") as f:
        for rate, epochs, steps, spec in SCHEDULES:
            f.write(json.dumps({"learningRate": rate, "epochs": epochs, "stepsPerEpoch": steps, "schedule": spec,
                                "rates": rates(rate, spec, epochs, steps),
                                **({"momenta": rates(rate, spec, epochs, steps, "momentum")} if spec.get("cycleMomentum") else {})}) + "\n")


if __name__ == "__main__":
    main()
