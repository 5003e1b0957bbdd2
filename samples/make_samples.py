#!/usr/bin/python3
"""Trains the bundled networks on handwritten digits and writes them as ONNX with held-out inputs.

Needs Debian's python3-torch and python3-sklearn, nothing else:

    /usr/bin/python3 samples/make_samples.py [DIRECTORY]

Seeds and thread count are fixed, so the same processor family and library versions give the same
files. README.md beside this script says what the networks are made to show.
"""

import pathlib
import sys

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional

HELD_OUT = 400
BATCH = 64
TOKENS, WIDTH, HEADS = 16, 64, 4  # of the transformer
# Shrinks the BatchNorm scales in front of depthwise layers (network slimming, Liu et al. 2017).
SLIMMING = 8e-3


def load_data():
    """Images [N, 1, 8, 8] in 0..1 and classes, split once for both networks."""
    digits = load_digits()
    images = torch.tensor(digits.images / 16.0, dtype=torch.float32).unsqueeze(1)
    classes = torch.tensor(digits.target)
    train, test = train_test_split(np.arange(len(classes)), test_size=HELD_OUT,
                                   stratify=digits.target, random_state=0)
    return images[train], classes[train], images[test], classes[test]


def enlarge(images):
    return functional.interpolate(images, scale_factor=2, mode="bilinear", align_corners=False)


def distort(images):
    """Random rotation (10 degrees), scale, shear and shift of each image."""
    count = len(images)

    def uniform(width):
        return (torch.rand(count) - 0.5) * width

    angle, scale, shear = uniform(0.35), 1 + uniform(0.2), uniform(0.3)
    matrix = torch.zeros(count, 2, 3)
    matrix[:, 0, 0] = angle.cos() * scale
    matrix[:, 0, 1] = shear - angle.sin() * scale
    matrix[:, 1, 0] = angle.sin() * scale
    matrix[:, 1, 1] = angle.cos() * scale
    matrix[:, :, 2] = (torch.rand(count, 2) - 0.5) * 0.25
    grid = functional.affine_grid(matrix, images.shape, align_corners=False)
    return functional.grid_sample(images, grid, align_corners=False)


class ConvUnit(nn.Sequential):
    """Convolution, BatchNorm and, if given, an activation."""

    def __init__(self, channels_in, channels_out, size, stride=1, groups=1, activation=nn.ReLU6):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, size, stride, size // 2, groups=groups,
                              bias=False)
        self.norm = nn.BatchNorm2d(channels_out)
        if activation:
            self.act = activation()


def depthwise_unit(channels, stride=1):
    return ConvUnit(channels, channels, 3, stride, groups=channels)


class Separable(nn.Module):
    """Depthwise 3x3, then pointwise 1x1 (MobileNet)."""

    def __init__(self, channels_in, channels_out, stride=1):
        super().__init__()
        self.depthwise = depthwise_unit(channels_in, stride)
        self.pointwise = ConvUnit(channels_in, channels_out, 1)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))


class InvertedResidual(nn.Module):
    """Expand, depthwise, project, add (MobileNet v2)."""

    def __init__(self, channels, expanded):
        super().__init__()
        self.expand = ConvUnit(channels, expanded, 1)
        self.depthwise = depthwise_unit(expanded)
        self.project = ConvUnit(expanded, channels, 1, activation=None)

    def forward(self, x):
        return x + self.project(self.depthwise(self.expand(x)))


class TwoPaths(nn.Module):
    """A 1x1 path and a separable path, joined along the channels."""

    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.near = ConvUnit(channels_in, channels_out // 2, 1, activation=nn.ReLU)
        self.wide = Separable(channels_in, channels_out // 2)

    def forward(self, x):
        return torch.cat([self.near(x), self.wide(x)], 1)


class DigitsMobileNet(nn.Module):
    """[N, 1, 16, 16] -> [N, 10]"""

    def __init__(self):
        super().__init__()
        self.stem = ConvUnit(1, 16, 3)
        self.features = nn.Sequential(
            Separable(16, 24), Separable(24, 32, stride=2), InvertedResidual(32, 96),
            Separable(32, 48), Separable(48, 64, stride=2), InvertedResidual(64, 128),
            TwoPaths(64, 64))
        self.head = ConvUnit(64, 96, 1, activation=nn.ReLU)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Linear(96, 10)

    def forward(self, image):
        x = self.head(self.features(self.stem(image)))
        return self.classifier(self.pool(x).flatten(1))

    def slimmed_scales(self):
        """Scales of the BatchNorms whose output a depthwise layer reads."""
        units = [self.stem]
        for module in self.features:
            if isinstance(module, Separable):
                units.append(module.pointwise)
            elif isinstance(module, InvertedResidual):
                units.append(module.expand)
        return [unit.norm.weight for unit in units]


class Attention(nn.Module):
    """Multi-head self-attention with the products written out."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def split(self, x):
        return x.reshape(-1, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2)

    def forward(self, x):
        query, key, value = (self.split(layer(x)) for layer in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(2, 3)) * (WIDTH // HEADS) ** -0.5
        mixed = torch.matmul(scores.softmax(-1), value).transpose(1, 2)
        return self.out(mixed.reshape(-1, TOKENS, WIDTH))


class EncoderBlock(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 3 * WIDTH), nn.GELU(),
                                 nn.Linear(3 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


class DigitsTransformer(nn.Module):
    """[N, 1, 8, 8] -> [N, 10]; each 2x2 patch is a token."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, WIDTH, 2, stride=2)
        self.position = nn.Parameter(torch.randn(1, TOKENS, WIDTH) * 0.1)
        self.blocks = nn.Sequential(*(EncoderBlock() for _ in range(3)))
        self.norm = nn.LayerNorm(WIDTH)
        self.classifier = nn.Linear(WIDTH, 10)

    def forward(self, image):
        tokens = self.patches(image).reshape(-1, WIDTH, TOKENS).transpose(1, 2)
        return self.classifier(self.norm(self.blocks(tokens + self.position)).mean(1))


def fit(network, images, classes, epochs, optimizer, peak_rate, penalty=lambda: 0.0):
    steps = epochs * (len(images) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, peak_rate, steps)
    network.train()
    for _ in range(epochs):
        order = torch.randperm(len(images))
        for begin in range(0, len(images) - BATCH + 1, BATCH):
            chosen = order[begin:begin + BATCH]
            loss = functional.cross_entropy(network(distort(images[chosen])), classes[chosen])
            optimizer.zero_grad()
            (loss + penalty()).backward()
            optimizer.step()
            schedule.step()
    network.eval()


def train_mobilenet(images, classes):
    """SGD with weight decay, but none on depthwise weights, as MobileNet's authors advise."""
    network = DigitsMobileNet()
    decayed = [module.weight for module in network.modules()
               if isinstance(module, nn.Linear) or getattr(module, "groups", 0) == 1]
    ids = set(map(id, decayed))
    rest = [parameter for parameter in network.parameters() if id(parameter) not in ids]
    optimizer = torch.optim.SGD([{"params": decayed, "weight_decay": 1e-3}, {"params": rest}],
                                lr=0.1, momentum=0.9, nesterov=True)
    scales = network.slimmed_scales()
    fit(network, images, classes, 25, optimizer, 0.1,
        lambda: SLIMMING * sum(scale.abs().sum() for scale in scales))
    return network


def train_transformer(images, classes):
    network = DigitsTransformer()
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=0.05)
    fit(network, images, classes, 60, optimizer, 2e-3)
    return network


def write(directory, name, network, images, classes, **options):
    with torch.no_grad():
        right = (network(images).argmax(1) == classes).sum().item()
    torch.onnx.export(network, images[:1], str(directory / f"{name}.onnx"),
                      input_names=["image"], output_names=["logits"],
                      dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
                      **options)
    np.savez_compressed(directory / f"{name}.npz", image=images.numpy())
    np.save(directory / f"{name}.labels.npy", classes.numpy())
    print(f"{name}: {right} of {len(classes)} held-out images right ({right / len(classes):.2%})")


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    train_images, train_classes, images, classes = load_data()

    torch.manual_seed(2)
    mobilenet = train_mobilenet(enlarge(train_images), train_classes)
    write(directory, "digits_mobilenet", mobilenet, enlarge(images), classes, opset_version=13,
          # Keeps BatchNormalization as nodes of its own; the default would fold it.
          training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)

    torch.manual_seed(1)
    transformer = train_transformer(train_images, train_classes)
    write(directory, "digits_transformer", transformer, images, classes, opset_version=17)


if __name__ == "__main__":
    main()
