"""Makes networks with data, and PyTorch's gradients of them.

    gradients.py FOLDER

writes NAME.onnx and NAME.npz for each network: "in.INPUT" what goes in, "dy" the cotangent of the
output, "d.VALUE" the cotangent of each input and of each parameter that the model still names.
Needs PyTorch 1.13.
"""

import os
import sys

import numpy
import onnx
import torch
from torch import nn

OPSET = 17


class Attention(nn.Module):
    """Multi-head attention from primitives, with a residual connection and a layer norm."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        split = lambda t: t.reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)
        scores = split(q) @ split(k).transpose(-1, -2) / (width // self.heads) ** 0.5
        mixed = (scores.softmax(-1) @ split(v)).transpose(1, 2).reshape(batch, length, width)
        return self.norm(x + self.out(mixed))


class Residual(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return x + self.body(x)


class Gate(nn.Module):
    """Squeeze and excitation."""

    def __init__(self, channels):
        super().__init__()
        self.layers = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, 4, 1), nn.ReLU(),
            nn.Conv2d(4, channels, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.layers(x)


class FirstOutput(nn.Module):
    """A recurrent layer without its last states."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


class Join(nn.Module):
    """Two branches side by side, of which each sees the input."""

    def __init__(self, a, b):
        super().__init__()
        self.a, self.b = a, b

    def forward(self, x):
        return torch.cat([self.a(x), self.b(x)], dim=1)


class LogSpectrum(nn.Module):
    def forward(self, x):
        power = x[:, :, ::2] ** 2 + x[:, :, 1::2] ** 2
        low = power.amin(dim=(1, 2), keepdim=True)
        return torch.log(power - low + 0.1) / torch.sqrt(power.mean(dim=1, keepdim=True) + 0.1)


def activations():
    return [nn.ReLU(), nn.ReLU6(), nn.Hardswish(), nn.SiLU(), nn.GELU(), nn.ELU(0.7),
            nn.LeakyReLU(0.1), nn.PReLU(8), nn.Hardsigmoid(), nn.Softplus(), nn.Mish(),
            nn.Sigmoid(), nn.Tanh(), nn.SELU(), nn.CELU(0.8)]


def fixed():
    """Networks by name, each with the shape of its input."""
    image = (2, 8, 13, 12)
    networks = {
        "conv_plain": (nn.Conv2d(8, 16, 3, padding=1), image),
        "conv_strided": (nn.Conv2d(8, 24, 5, stride=2, padding=2), image),
        "conv_dilated": (nn.Conv2d(8, 8, 3, dilation=2, padding=(1, 2)), image),
        "conv_grouped": (nn.Conv2d(8, 16, 3, groups=2), image),
        "conv_depthwise": (nn.Conv2d(8, 8, 3, groups=8, padding=1), image),
        "conv_depthwise_wide": (nn.Conv2d(64, 64, 5, groups=64, stride=2, padding=2), (2, 64, 14, 14)),
        "conv_multiplied": (nn.Conv2d(8, 24, 3, groups=8), image),
        "conv_1x1": (nn.Conv2d(8, 40, 1, bias=False), image),
        "conv_1x1_strided": (nn.Conv2d(8, 40, 1, stride=2), image),
        "conv_stem": (nn.Conv2d(3, 16, 7, stride=2, padding=3), (1, 3, 32, 31)),
        "conv_wide": (nn.Conv2d(4, 4, (3, 39), padding=(1, 19)), (1, 4, 9, 44)),
        "conv_1d": (nn.Conv1d(6, 9, 5, stride=2), (2, 6, 40)),
        "conv_3d": (nn.Conv3d(3, 4, (2, 3, 3), padding=1), (1, 3, 5, 6, 7)),
        "transposed": (nn.ConvTranspose2d(8, 6, 4, stride=2, padding=1), image),
        "transposed_grouped": (nn.ConvTranspose2d(8, 12, 3, groups=4, output_padding=1, stride=2), image),
        "transposed_depthwise": (nn.ConvTranspose2d(8, 8, 3, groups=8, padding=1), image),
        "transposed_1d": (nn.ConvTranspose1d(6, 4, 5, stride=3), (2, 6, 11)),
        "batch_norm": (nn.Sequential(nn.Conv2d(8, 12, 3), nn.BatchNorm2d(12), nn.ReLU()), image),
        "instance_norm": (nn.Sequential(nn.Conv2d(8, 12, 3, bias=False), nn.InstanceNorm2d(12, affine=True)), image),
        "group_norm": (nn.Sequential(nn.Conv2d(8, 12, 3), nn.GroupNorm(4, 12)), image),
        "layer_norm": (nn.Sequential(nn.Linear(24, 16), nn.LayerNorm(16), nn.GELU()), (3, 7, 24)),
        "max_pool": (nn.MaxPool2d(3, stride=2, padding=1), image),
        "avg_pool": (nn.AvgPool2d(3, stride=2, padding=1), image),
        "avg_pool_uncounted": (nn.AvgPool2d(3, padding=1, count_include_pad=False), image),
        "upsample_nearest": (nn.Upsample(scale_factor=2), image),
        "upsample_bilinear": (nn.Upsample(scale_factor=2, mode="bilinear"), image),
        "upsample_aligned": (nn.Upsample(scale_factor=3, mode="bilinear", align_corners=True), image),
        "reflect": (nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(8, 4, 3)), image),
        "pixel_shuffle": (nn.Sequential(nn.Conv2d(8, 16, 3), nn.PixelShuffle(2)), image),
        "softmax": (nn.Sequential(nn.Flatten(), nn.Linear(96, 10), nn.Softmax(1)), (3, 8, 3, 4)),
        "log_softmax": (nn.Sequential(nn.Flatten(), nn.Linear(96, 10), nn.LogSoftmax(1)), (3, 8, 3, 4)),
        "attention": (nn.Sequential(Attention(24, 3), nn.Linear(24, 5)), (2, 9, 24)),
        "log_spectrum": (LogSpectrum(), (2, 5, 16)),
        "gru": (FirstOutput(nn.GRU(7, 10, num_layers=2)), (6, 3, 7)),
        "gru_both_ways": (FirstOutput(nn.GRU(7, 10, bidirectional=True)), (6, 3, 7)),
        "lstm": (FirstOutput(nn.LSTM(7, 10, bidirectional=True, batch_first=True)), (3, 6, 7)),
        "rnn": (FirstOutput(nn.RNN(7, 10)), (6, 3, 7)),
    }
    for activation in activations():
        name = "act_" + type(activation).__name__.lower()
        networks[name] = (nn.Sequential(nn.Conv2d(8, 8, 1), activation), image)
    return networks


def generated(seed):
    """A convolutional network of random blocks."""
    random = numpy.random.RandomState(seed)
    pick = lambda *choices: choices[random.randint(len(choices))]
    channels, layers = 8, [nn.Conv2d(3, 8, 3, padding=1)]
    for _ in range(random.randint(3, 7)):
        kind = random.randint(7)
        if kind == 0:
            wider = pick(8, 12, 16, 24)
            layers += [nn.Conv2d(channels, wider, pick(1, 3, 5), stride=pick(1, 2), padding=1),
                       nn.BatchNorm2d(wider), pick(nn.ReLU(), nn.ReLU6(), nn.Hardswish())]
            channels = wider
        elif kind == 1:
            layers += [nn.Conv2d(channels, channels, 3, padding=1, groups=channels), nn.SiLU()]
        elif kind == 2:
            layers.append(Residual(nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1),
                                                 nn.ReLU(), nn.Conv2d(channels, channels, 1))))
        elif kind == 3:
            layers.append(Gate(channels))
        elif kind == 4:
            layers.append(Join(nn.Conv2d(channels, 8, 1), nn.Conv2d(channels, 4, 3, padding=1)))
            channels = 12
        elif kind == 5:
            # A bias before it would have no gradient, nor would anything whose mean is taken
            # right behind it.
            layers += [nn.Conv2d(channels, channels, 3, padding=1, bias=False),
                       nn.InstanceNorm2d(channels, affine=True), nn.Hardswish()]
        else:
            layers += [nn.ConvTranspose2d(channels, 8, 2, stride=2), nn.LeakyReLU(0.2)]
            channels = 8
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 6)]
    return nn.Sequential(*layers), (2, 3, 20, 18)


def prepare(model):
    """Statistics and parameters that are not those that a layer starts with."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
        if hasattr(module, "weight") and isinstance(
                module, (nn.BatchNorm2d, nn.InstanceNorm2d, nn.GroupNorm, nn.LayerNorm)):
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.normal_(module.bias, 0, 0.3)
    return model.eval()


def write(folder, name, model, shape):
    torch.manual_seed(sum(map(ord, name)))
    model = prepare(model)
    x = torch.randn(*shape, requires_grad=True)
    y = model(x)
    dy = torch.randn_like(y)
    y.backward(dy)
    file = os.path.join(folder, name + ".onnx")
    torch.onnx.export(model, x.detach(), file, opset_version=OPSET, input_names=["x"],
                      output_names=["y"], do_constant_folding=False,
                      training=torch.onnx.TrainingMode.PRESERVE)
    arrays = {"in.x": x.detach().numpy(), "dy": dy.numpy(), "d.x": x.grad.numpy()}
    named = {each.name for each in onnx.load(file).graph.initializer}
    for parameter, value in model.named_parameters():
        if parameter in named and value.grad is not None:
            arrays["d." + parameter] = value.grad.numpy()
    numpy.savez(os.path.join(folder, name + ".npz"), **arrays)


def main():
    folder = sys.argv[1]
    torch.manual_seed(0)
    for name, (model, shape) in fixed().items():
        write(folder, name, model, shape)
    for seed in range(24):
        torch.manual_seed(seed)
        model, shape = generated(seed)
        write(folder, "generated_%02d" % seed, model, shape)


main()
