#!/usr/bin/env python3
"""Records the updates of each PyTorch optimizer for given gradients, step by step: the bits that Trainyard's update rules must reproduce.

    python3 optimizers.py [DIR]      writes DIR/optimizers.json and DIR/optimizers.safetensors; DIR is the folder of this file if not given

Needs torch and numpy. The first 12 cases were recorded with torch 2.13.0+cpu; all with 1.13.1 on a machine with AVX-512, which gives the same bits
for those 12. Running it again there gives the same files. Where PyTorch 2 says m.lerp_(d, 1 - beta) for a running mean, 1.13 says
m.mul_(beta).add_(d, alpha=1 - beta), whose last bit may be another; here that is computed as PyTorch 2 does (Mean).
The square root is numpy's, which is correctly rounded. PyTorch's square root on the CPU is MKL's, which differs in the last bit for one of six values.

optimizers.json lists the cases: a name, and the optimizer as a job writes it. optimizers.safetensors holds, all of it float32 but the rates:
    initial                           a parameter of 333 values: whole vectors of any width, and a rest
    gradients                         (steps, 333): some are zero, some large, some as small as float32 can be
    factors                           float64, one a step: the learning rate is the optimizer's own times this
    <case>.values, <case>.<slot>      the parameter and the optimizer's state after the last step, without its step counter
"""
import json
import os
import struct
import sys

import numpy as np
import torch

ELEMENTS, STEPS = 333, 5


def sgd(momentum=0.0, nesterov=False, weight_decay=0.0, dampening=0.0):
    return {"type": "sgd", "learningRate": 0.1, "momentum": momentum, "dampening": dampening, "nesterov": nesterov, "weightDecay": weight_decay}


def adam(kind="adam", beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0.0, amsgrad=False):
    return {"type": kind, "learningRate": 0.01, "beta1": beta1, "beta2": beta2, "epsilon": epsilon, "weightDecay": weight_decay, "amsgrad": amsgrad}


def rmsprop(alpha=0.99, epsilon=1e-8, momentum=0.0, centered=False, weight_decay=0.0):
    return {"type": "rmsprop", "learningRate": 0.01, "alpha": alpha, "epsilon": epsilon, "momentum": momentum, "centered": centered,
            "weightDecay": weight_decay}


CASES = {
    "sgd": sgd(),
    "sgd-decay": sgd(weight_decay=0.01),
    "momentum": sgd(0.9),
    "momentum-decay": sgd(0.85, weight_decay=0.03),
    "nesterov": sgd(0.9, True),
    "nesterov-decay": sgd(0.7, True, 0.02),
    "adam": adam(),
    "adam-decay": adam(beta1=0.8, beta2=0.95, epsilon=1e-6, weight_decay=0.05),
    "adam-half": adam(beta1=0.5),                                          # torch.lerp has another formula from here on
    "adam-no-mean": adam(beta1=0.0, beta2=0.9),
    "adamw": adam("adamw", weight_decay=0.01),
    "adamw-betas": adam("adamw", 0.95, 0.99, 1e-5, 0.3),
    "dampening": sgd(0.9, dampening=0.3),
    "dampening-decay": sgd(0.8, weight_decay=0.02, dampening=1.0),
    "amsgrad": adam(beta2=0.5, amsgrad=True),
    "adamw-amsgrad": adam("adamw", 0.8, 0.6, 1e-6, 0.1, True),
    "rmsprop": rmsprop(),
    "rmsprop-momentum": rmsprop(0.9, 1e-6, 0.8, weight_decay=0.01),
    "rmsprop-centered": rmsprop(0.95, 1e-3, centered=True, weight_decay=0.05),
    "rmsprop-all": rmsprop(0.4, 1e-4, 0.9, True, 0.03),                    # torch.lerp has its other formula
}


def make(spec, parameters):
    """The optimizer of a job's "optimizer" field, with PyTorch's defaults for omitted fields."""
    names = {"learningRate": "lr", "momentum": "momentum", "dampening": "dampening", "nesterov": "nesterov", "weightDecay": "weight_decay",
             "epsilon": "eps", "alpha": "alpha", "centered": "centered", "amsgrad": "amsgrad"}
    options = {names[k]: v for k, v in spec.items() if k in names}
    if spec["type"] == "sgd":
        return torch.optim.SGD(parameters, **options)
    if spec["type"] == "rmsprop":
        return torch.optim.RMSprop(parameters, **options)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[spec["type"]](
        parameters, betas=(spec.get("beta1", 0.9), spec.get("beta2", 0.999)), **options)


class Mean(torch.Tensor):
    """A running mean that follows as PyTorch 2's does."""
    __torch_function__ = torch._C._disabled_torch_function_impl            # results of operations are plain tensors

    def mul_(self, keep):
        return self

    def add_(self, value, alpha):
        torch.Tensor.lerp_(self, value, alpha)
        return self


def state(spec, parameter):
    """What PyTorch makes of it in the first step, with means as of PyTorch 2."""
    def zeros():
        return torch.zeros_like(parameter.detach())
    if spec["type"] == "sgd":
        return {}
    if spec["type"] == "rmsprop":
        return {"step": 0, "square_avg": zeros(), **({"momentum_buffer": zeros()} if spec["momentum"] else {}),
                **({"grad_avg": zeros().as_subclass(Mean)} if spec["centered"] else {})}
    return {"step": torch.tensor(0.0), "exp_avg": zeros().as_subclass(Mean), "exp_avg_sq": zeros(),
            **({"max_exp_avg_sq": zeros()} if spec["amsgrad"] else {})}


def given():
    data = np.random.default_rng(0)
    gradients = data.standard_normal((STEPS, ELEMENTS), dtype=np.float32)
    gradients *= np.float32(10) ** data.integers(-6, 3, (STEPS, ELEMENTS)).astype(np.float32)
    gradients[:, ::50] = 0
    gradients[:, 7::100] = np.float32(1e-42)
    return {"initial": torch.from_numpy(data.standard_normal(ELEMENTS, dtype=np.float32)), "gradients": torch.from_numpy(gradients),
            "factors": torch.linspace(1, 0.1, STEPS, dtype=torch.float64)}


def record(name, spec, initial, gradients, factors):
    parameter = torch.nn.Parameter(initial.clone())
    optimizer = make(spec, [parameter])
    if torch.__version__ < "2":
        optimizer.state[parameter] = state(spec, parameter)
    for gradient, factor in zip(gradients, factors.tolist()):
        optimizer.param_groups[0]["lr"] = spec["learningRate"] * factor
        parameter.grad = gradient.clone()
        optimizer.step()
    slots = {k: v for k, v in optimizer.state[parameter].items() if v is not None and k != "step"}
    return {name + "." + k: v for k, v in {"values": parameter.detach(), **slots}.items()}


def save_file(tensors, path):
    """A safetensors file: the header's length, the header, the bytes of all tensors."""
    header, data = {}, b""
    for name, tensor in sorted(tensors.items()):
        values = tensor.detach().as_subclass(torch.Tensor).contiguous().numpy()
        header[name] = {"dtype": {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}[values.dtype.name], "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def main():
    torch.Tensor.sqrt = lambda self: torch.from_numpy(np.sqrt(self.as_subclass(torch.Tensor).numpy()))
    torch.Tensor.sqrt_ = lambda self: self.copy_(self.sqrt())
    target = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    torch.set_num_threads(1)
    tensors = given()
    for name, spec in CASES.items():
        tensors.update(record(name, spec, tensors["initial"], tensors["gradients"], tensors["factors"]))
    save_file(tensors, os.path.join(target, "optimizers.safetensors"))
    with open(os.path.join(target, "optimizers.json"), "w") as f:
        f.write(json.dumps([{"name": name, "optimizer": spec} for name, spec in CASES.items()], indent=2) + "\n")


if __name__ == "__main__":
    main()
