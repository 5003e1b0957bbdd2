"""Makes tensors, and PyTorch's learnable fake quantization of them with its gradients.

    fake_quantize.py FOLDER

writes NAME.npz for each case: "x", "dy", "scale", "zero_point", "limits" (lowest and highest code),
"axis" (negative = per tensor), and of PyTorch "y", "dx", "dscale", "dzero_point". Needs PyTorch 1.13.
"""

import os
import sys

import numpy
import torch


def case(folder, name, shape, axis, limits, zero):
    generator = torch.Generator().manual_seed(len(name))
    x = (3 * torch.randn(shape, generator=generator)).requires_grad_()
    dy = torch.randn(shape, generator=generator)
    count = shape[axis] if axis >= 0 else 1
    # Powers of two, which PyTorch's inverse hits exactly.
    scale = torch.tensor([2.0 ** -(2 + i % 3) for i in range(count)], requires_grad=True)
    zero_point = torch.full((count,), float(zero), requires_grad=True)
    if axis < 0:
        y = torch._fake_quantize_learnable_per_tensor_affine(
            x, scale, zero_point, limits[0], limits[1], 1.0)
    else:
        y = torch._fake_quantize_learnable_per_channel_affine(
            x, scale, zero_point, axis, limits[0], limits[1], 1.0)
    y.backward(dy)
    numpy.savez(
        os.path.join(folder, name + ".npz"), x=x.detach().numpy(), dy=dy.numpy(),
        scale=scale.detach().numpy(), zero_point=zero_point.detach().numpy(),
        limits=numpy.array(limits, numpy.int64), axis=numpy.array([axis], numpy.int64),
        y=y.detach().numpy(), dx=x.grad.numpy(), dscale=scale.grad.numpy(),
        dzero_point=zero_point.grad.numpy())


def main(folder):
    case(folder, "per_tensor_int4", (2, 3, 5, 5), -1, (-8, 7), 0)
    case(folder, "per_tensor_uint4", (2, 3, 5, 5), -1, (0, 15), 6)
    case(folder, "per_tensor_uint8", (4, 16, 9), -1, (0, 255), 128)
    case(folder, "per_channel_int4", (6, 3, 3, 3), 0, (-8, 7), 0)
    case(folder, "per_channel_uint2", (2, 5, 7), 1, (0, 3), 1)
    case(folder, "per_channel_last", (8, 6), 1, (-4, 3), 0)


main(sys.argv[1])
