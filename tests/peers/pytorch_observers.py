#!/usr/bin/python3
"""pytorch_observers.py > ../data/observers/pytorch.json: what PyTorch's observers make of known data.

The numbers come from the generator of tests/calibration/peer_numbers.h, so that only results are
stored. Needs Debian's python3-torch (1.13). Its HistogramObserver truncates the ends of its range to
integers: the data's smallest and largest number are integers in the first batch already.
"""

import json

import torch
from torch.ao.quantization import observer
from torch.ao.quantization.fx._model_report.model_report_observer import ModelReportObserver

CASES = [
    {"name": "images", "shape": [2, 3, 9, 11], "batches": 4, "seed": 11, "terms": 4, "tail": 1},
    {"name": "large images", "shape": [1, 2, 60, 50], "batches": 3, "seed": 12, "terms": 3, "tail": 1},
    {"name": "tails", "shape": [3, 4, 8, 8], "batches": 5, "seed": 13, "terms": 3, "tail": 12},
    {"name": "rectified", "shape": [2, 5, 7, 5], "batches": 6, "seed": 14, "terms": 4, "tail": 1, "relu": True},
    {"name": "rows", "shape": [4, 6], "batches": 7, "seed": 15, "terms": 4, "tail": 3},
    {"name": "tokens", "shape": [1, 33, 16], "batches": 3, "seed": 16, "terms": 2, "tail": 5},
]


def uniform_sums(count, seed, terms):
    numbers = []
    for _ in range(count):
        total = 0
        for _ in range(terms):
            seed = (seed * 1664525 + 1013904223) % 2**32
            total += seed >> 18
        numbers.append(total / 16384 - terms / 2)
    return numbers


def batches_of(case):
    size = 1
    for extent in case["shape"]:
        size *= extent
    numbers = uniform_sums(size * case["batches"], case["seed"], case["terms"])
    numbers = [x * case["tail"] if i % 37 == 0 else x for i, x in enumerate(numbers)]
    limit = case["terms"] * case["tail"]
    numbers[1], numbers[2] = float(limit), float(-limit)
    if case.get("relu"):
        numbers = [max(x, 0.0) for x in numbers]
    return torch.tensor(numbers, dtype=torch.float32).reshape([case["batches"]] + case["shape"])


def observed(made, batches):
    for batch in batches:
        made(batch)
    return made


def params(made):
    scale, zero_point = made.calculate_qparams()
    return {
        "scale": scale.flatten().tolist(),
        "zero_point": zero_point.flatten().tolist(),
    }


def ends(made):
    return {"min": made.min_val.flatten().tolist(), "max": made.max_val.flatten().tolist()}


def affine(kind, batches, **arguments):
    made = observed(kind(dtype=torch.quint8, **arguments), batches)
    return {**ends(made), **params(made)}


def symmetric(kind, batches, scheme, **arguments):
    made = observed(kind(dtype=torch.qint8, qscheme=scheme, **arguments), batches)
    return {**ends(made), **params(made)}


def report(batches):
    made = observed(ModelReportObserver(ch_axis=1, comp_percentile=0.975), batches)
    return {
        "average_batch_range": made.average_batch_activation_range.item(),
        "batch_to_epoch": made.get_batch_to_epoch_ratio().item(),
        "min": made.min_val.tolist(),
        "max": made.max_val.tolist(),
        "ratio": made.average_percentile_ratio.tolist(),
        "batches": made.percentile_batches_tracked.tolist(),
        "constant": made.constant_channels.tolist(),
    }


def results(case):
    batches = batches_of(case)
    per_tensor = torch.per_tensor_symmetric
    per_channel = torch.per_channel_symmetric
    averaged = observer.MovingAveragePerChannelMinMaxObserver
    return {
        **case,
        "minmax": affine(observer.MinMaxObserver, batches),
        "minmax_symmetric": symmetric(observer.MinMaxObserver, batches, per_tensor),
        "per_channel": symmetric(observer.PerChannelMinMaxObserver, batches, per_channel, ch_axis=1),
        "moving_average": affine(observer.MovingAverageMinMaxObserver, batches),
        "moving_average_per_channel": affine(averaged, batches, ch_axis=1),
        "histogram": params(observed(observer.HistogramObserver(dtype=torch.quint8), batches)),
        "model_report": report(batches),
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps([results(case) for case in CASES], indent=1))
