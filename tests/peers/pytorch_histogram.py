#!/usr/bin/python3
"""pytorch_histogram.py > ../data/observers/pytorch_histogram.json: the scales that PyTorch's
HistogramObserver finds for distributions with light and heavy tails.

The numbers come from the generators of tests/calibration/peer_numbers.h, so that only results are
stored. Needs Debian's python3-torch (1.13), which truncates the ends of the range to integers: the
first two numbers are the smallest integers around the rest.
"""

import json
import math

import torch
from torch.ao.quantization.observer import HistogramObserver

from pytorch_observers import uniform_sums

COUNT = 1 << 16
SEEDS = range(21, 29)


def laplace(count, seed):
    numbers = []
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        magnitude = -math.log(((seed >> 8) + 0.5) / 2**24)
        seed = (seed * 1664525 + 1013904223) % 2**32
        numbers.append(magnitude if seed >> 31 else -magnitude)
    return numbers


MAKERS = {
    "uniform": lambda seed: uniform_sums(COUNT, seed, 1),
    "normal": lambda seed: uniform_sums(COUNT, seed, 12),
    "laplace": lambda seed: laplace(COUNT, seed),
}


def scale_of(numbers):
    limit = float(math.ceil(max(abs(x) for x in numbers)))
    numbers[0], numbers[1] = limit, -limit
    made = HistogramObserver(dtype=torch.quint8)
    made(torch.tensor(numbers, dtype=torch.float32))
    return made.calculate_qparams()[0].item()


if __name__ == "__main__":
    torch.set_num_threads(1)
    scales = {name: [scale_of(make(seed)) for seed in SEEDS] for name, make in MAKERS.items()}
    print(json.dumps({"count": COUNT, "seeds": list(SEEDS), "scales": scales}, indent=1))
