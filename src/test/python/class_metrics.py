#!/usr/bin/env python3
"""Precision, recall and F1 of random labels and predictions, computed with torch and numpy from the labels themselves.

    python3 class_metrics.py [FILE]      writes class-metrics.jsonl, or FILE

Each line has a confusion matrix, the metrics by class and their means, and the 95 % percentile interval of the macro F1 of
20,000 bootstrap samples, to which the delta method's interval is compared. Needs torch 1.13 or newer and numpy.
"""
import json
import sys

import numpy as np
import torch

BOOTSTRAPS = 20_000
# classes, samples, share of right predictions, classes that never occur or are never predicted
CASES = [(2, 200, 0.8, (), ()), (10, 1000, 0.9, (), ()), (6, 300, 0.5, (), (2,)), (5, 400, 0.7, (4,), (4,)), (3, 60, 0.6, (1,), ())]


def metrics(truth, predicted, classes):
    """As torchmetrics and scikit-learn define them: a class without a denominator has 0, one that never occurs does not count."""
    precision, recall, f1, counts = [], [], [], []
    for label in range(classes):
        right = ((truth == label) & (predicted == label)).sum().item()
        true, said = (truth == label).sum().item(), (predicted == label).sum().item()
        precision.append(right / said if said else 0.0)
        recall.append(right / true if true else 0.0)
        both = precision[-1] + recall[-1]
        f1.append(2 * precision[-1] * recall[-1] / both if both else 0.0)
        counts.append(true + said > 0)
    return precision, recall, f1, np.array(counts)


def macro_f1(confusions):
    """Of many confusion matrices at once."""
    right = np.diagonal(confusions, axis1=1, axis2=2)
    both = confusions.sum(axis=1) + confusions.sum(axis=2)
    f1 = np.where(both > 0, 2 * right / np.maximum(both, 1), 0)
    return f1.sum(axis=1) / np.maximum((both > 0).sum(axis=1), 1)


def case(classes, samples, share, absent, unsaid, generator, numbers):
    present = torch.tensor([label for label in range(classes) if label not in absent])
    allowed = torch.tensor([label for label in range(classes) if label not in unsaid])
    truth = present[torch.randint(len(present), (samples,), generator=generator)]
    guess = allowed[torch.randint(len(allowed), (samples,), generator=generator)]
    keep = (torch.rand(samples, generator=generator) < share) & torch.isin(truth, allowed)
    predicted = torch.where(keep, truth, guess)
    confusion = torch.bincount(truth * classes + predicted, minlength=classes * classes).reshape(classes, classes).numpy()
    precision, recall, f1, counts = metrics(truth, predicted, classes)
    drawn = numbers.multinomial(samples, confusion.ravel() / samples, size=BOOTSTRAPS).reshape(-1, classes, classes)
    low, high = np.percentile(macro_f1(drawn), [2.5, 97.5])
    return {"confusion": confusion.tolist(), "precision": precision, "recall": recall, "f1": f1,
            "macroPrecision": float(np.mean(np.array(precision)[counts])), "macroRecall": float(np.mean(np.array(recall)[counts])),
            "macroF1": float(np.mean(np.array(f1)[counts])), "bootstrapLow": float(low), "bootstrapHigh": float(high)}


def main():
    generator, numbers = torch.Generator().manual_seed(7), np.random.default_rng(7)
    with open(sys.argv[1] if len(sys.argv) > 1 else "class-metrics.jsonl", "w", encoding="utf-8") as file:
        for one in CASES:
            file.write(json.dumps(case(*one, generator, numbers)) + "\n")


if __name__ == "__main__":
    main()
