"""double_values.py MODEL DATA.npz DIRECTORY VALUE...

Runs the first sample of a network in double precision with PyTorch and writes each VALUE as
DIRECTORY/INDEX.npy, INDEX its place on the command line: what float32 cannot give well is judged by
this. Knows the operators of image-to-image networks and stops at any other.
"""

import sys

import numpy
import onnx
import torch
import torch.nn.functional as functional
from onnx import numpy_helper


def spatial_padding(pads):
    """ONNX's [top, left, bottom, right] in PyTorch's order."""
    top, left, bottom, right = pads
    return left, right, top, bottom


def pad(x, attributes):
    pads = attributes["pads"]
    mode = attributes.get("mode", b"constant").decode()
    return functional.pad(x, spatial_padding(pads[2:4] + pads[6:8]), mode=mode)


def convolution(x, weight, bias, attributes):
    x = functional.pad(x, spatial_padding(attributes.get("pads", [0, 0, 0, 0])))
    return functional.conv2d(x, weight, bias, stride=attributes.get("strides", [1, 1]))


def transposed_convolution(x, weight, bias, attributes):
    stride = attributes.get("strides", [1, 1])
    wanted = attributes["output_shape"]
    kernel = weight.shape[2:]
    natural = [(x.shape[2 + i] - 1) * stride[i] + kernel[i] for i in range(2)]
    extra = [max(0, wanted[i] - natural[i]) for i in range(2)]
    y = functional.conv_transpose2d(x, weight, bias, stride=stride, output_padding=extra)
    return y[:, :, : wanted[0], : wanted[1]]


def instance_normalization(x, scale, bias, attributes):
    return functional.instance_norm(x, weight=scale, bias=bias, eps=attributes["epsilon"])


def slice_plane(x, attributes):
    (first, second), starts, ends = attributes["axes"], attributes["starts"], attributes["ends"]
    if (first, second) != (2, 3):
        sys.exit("Slice of other axes than 2 and 3")
    return x[:, :, starts[0] : ends[0], starts[1] : ends[1]]


def compute(node, inputs):
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    attributes = {k: list(v) if hasattr(v, "__len__") and not isinstance(v, bytes) else v
                  for k, v in attributes.items()}
    operators = {
        "Add": lambda: inputs[0] + inputs[1],
        "Mul": lambda: inputs[0] * inputs[1],
        "Relu": lambda: torch.relu(inputs[0]),
        "Tanh": lambda: torch.tanh(inputs[0]),
        "Pad": lambda: pad(inputs[0], attributes),
        "Slice": lambda: slice_plane(inputs[0], attributes),
        "Conv": lambda: convolution(*(inputs + [None])[:3], attributes),
        "ConvTranspose": lambda: transposed_convolution(*(inputs + [None])[:3], attributes),
        "InstanceNormalization": lambda: instance_normalization(*inputs, attributes),
    }
    if node.op_type not in operators:
        sys.exit("no double-precision " + node.op_type)
    return operators[node.op_type]()


def main():
    model_file, data_file, directory, *wanted = sys.argv[1:]
    graph = onnx.load(model_file).graph
    values = {tensor.name: torch.tensor(numpy_helper.to_array(tensor).astype(numpy.float64))
              for tensor in graph.initializer}
    for name, array in numpy.load(data_file).items():
        values[name] = torch.tensor(array[:1].astype(numpy.float64))
    for node in graph.node:
        values[node.output[0]] = compute(node, [values[name] for name in node.input])
    for index, name in enumerate(wanted):
        numpy.save(f"{directory}/{index}.npy", values[name].numpy())


main()
