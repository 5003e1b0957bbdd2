"""python3 torch_gradients.py NAME DATA.npz ROUNDS

Prints the median time of PyTorch's backward pass through torchvision's model NAME, in ms per image,
on two threads: to all parameters, from ones at the output, the images of DATA.npz in batches of all
sizes up to their number, of which the fastest counts; once as it is and once with the batch
normalizations folded into the convolutions. Needs Debian's python3-torchvision.
"""

import copy
import statistics
import sys
import time

import numpy
import torch
from torch.fx.experimental.optimization import fuse
from torchvision import models

THREADS = 2


def fastest(model, images, rounds):
    best = None
    size = 1
    while size <= len(images):
        times = []
        for _ in range(rounds + 1):
            model.zero_grad()
            y = model(images[:size])
            start = time.perf_counter()
            y.backward(torch.ones_like(y))
            times.append((time.perf_counter() - start) / size * 1e3)
        # The first one builds primitives.
        median = statistics.median(times[1:])
        best = median if best is None else min(best, median)
        size *= 2
    return best


def main():
    name, data, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    model = getattr(models, name)(weights=None).eval()
    images = torch.from_numpy(next(iter(numpy.load(data).values())))
    plain = fastest(model, images, rounds)
    folded = fuse(copy.deepcopy(model))
    for parameter in folded.parameters():
        parameter.requires_grad_(True)
    print("%.2f %.2f" % (plain, fastest(folded, images, rounds)))


main()
