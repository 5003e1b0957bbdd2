#!/usr/bin/python3
"""make.py: writes the arrays of this folder with PyTorch 1.13 (Debian's python3-torch).

numbers.npy holds float32 numbers of every magnitude, ties of both formats and their neighbours;
fp16.npy and bf16.npy what is left of them after torch.half and torch.bfloat16.
"""

import pathlib

import numpy
import torch


def numbers():
    random = numpy.random.default_rng(16)
    spread = random.standard_normal(300) * 2.0 ** random.integers(-30, 20, 300)
    halves = random.integers(0, 0x7BFF, 100).astype(numpy.uint16)
    low = halves.view(numpy.float16).astype(numpy.float64)
    high = (halves + numpy.uint16(1)).view(numpy.float16).astype(numpy.float64)
    upper = random.integers(0x0001, 0x7F7E, 100).astype(numpy.uint32) << 16 | 0x8000
    ties = numpy.concatenate([(low + high) / 2, upper.view(numpy.float32)]).astype(numpy.float32)
    edges = [0.0, -0.0, 65504, 65519.996, 65520, -65520, 2.0**-24, 2.0**-25, 3.3e38, -3.4e38]
    return numpy.concatenate(
        [spread, ties, numpy.nextafter(ties, numpy.float32(0)), edges]
    ).astype(numpy.float32)


def main():
    folder = pathlib.Path(__file__).parent
    array = numbers()
    tensor = torch.from_numpy(array)
    numpy.save(folder / "numbers.npy", array)
    numpy.save(folder / "fp16.npy", tensor.half().float().numpy())
    numpy.save(folder / "bf16.npy", tensor.bfloat16().float().numpy())


main()
