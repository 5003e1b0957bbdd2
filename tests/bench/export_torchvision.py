"""python3 export_torchvision.py DIRECTORY

Writes torchvision's MobileNetV2, ResNet-18 and -50, and ViT-B/16 with random weights as NAME.onnx, each with
NAME.npz of random images: for speed, never for a statement about quality. What is there already
stays. Needs Debian's python3-torchvision.
"""

import os
import sys

import numpy
import torch
from torchvision import models

IMAGES = 16
OPSET = 16


def export(name, build, directory):
    model_file = os.path.join(directory, name + ".onnx")
    if os.path.exists(model_file):
        return
    torch.manual_seed(0)
    model = build(weights=None).eval()
    images = torch.rand(IMAGES, 3, 224, 224) * 2 - 1
    numpy.savez(os.path.join(directory, name + ".npz"), image=images.numpy())
    # Under another name until it is complete.
    unfinished = model_file + ".unfinished"
    torch.onnx.export(model, images[:1], unfinished, opset_version=OPSET, input_names=["image"])
    os.rename(unfinished, model_file)


def main():
    directory = sys.argv[1]
    os.makedirs(directory, exist_ok=True)
    export("torchvision_mobilenet_v2", models.mobilenet_v2, directory)
    export("torchvision_resnet18", models.resnet18, directory)
    export("torchvision_resnet50", models.resnet50, directory)
    export("torchvision_vit_b_16", models.vit_b_16, directory)


main()
