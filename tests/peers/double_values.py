#!/usr/bin/python3
"""double_values.py MODEL DIRECTORY: every value of a network's main graph in double precision.

Reads the inputs of DIRECTORY/manifest.json (left there by onnxruntime_values.js) and writes each
computed value of sample I as doubleN_I.npy, listed in double.json. It is the judge where two runs in
float32 differ: it knows the operators that occur in such networks, and stops at others.
Needs Debian's python3-onnx, python3-numpy and python3-torch.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
import torch
from torch.nn import functional

OPERATORS = {}


def operator(*names):
    def register(function):
        OPERATORS.update(dict.fromkeys(names, function))
        return function
    return register


def elementwise(name, function):
    OPERATORS[name] = lambda node, *inputs: function(*inputs)


def widen(array):
    return array.astype(np.float64) if array.dtype == np.float32 else array


for _name, _function in {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Pow": np.power, "Neg": np.negative,
        "Sqrt": np.sqrt, "Exp": np.exp, "Log": np.log, "Tanh": np.tanh, "Equal": np.equal,
        "Where": np.where, "Max": np.maximum, "Reciprocal": np.reciprocal,
        "Relu": lambda x: np.maximum(x, 0), "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "Shape": lambda x: np.array(x.shape, np.int64), "MatMul": np.matmul,
        "Expand": lambda x, shape: x * np.ones(shape, x.dtype),
}.items():
    elementwise(_name, _function)


@operator("Div")
def divide(node, a, b):
    return a / b if a.dtype == np.float64 else a // b


@operator("Cast")
def cast(node, x):
    return widen(x.astype(onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[node["to"]]))


@operator("Reshape")
def reshape(node, x, shape):
    return x.reshape([x.shape[i] if extent == 0 else extent for i, extent in enumerate(shape)])


@operator("Transpose")
def transpose(node, x):
    return x.transpose(node.get("perm"))


@operator("Concat")
def concat(node, *parts):
    return np.concatenate(parts, node["axis"])


@operator("Unsqueeze")
def unsqueeze(node, x, axes=None):
    axes = node["axes"] if axes is None else axes.tolist()
    return np.expand_dims(x, tuple(axes))


@operator("Squeeze")
def squeeze(node, x, axes=None):
    axes = node.get("axes") if axes is None else axes.tolist()
    return x.squeeze(tuple(axes) if axes is not None else None)


@operator("Slice")
def cut(node, x, starts=None, ends=None, axes=None, steps=None):
    starts = node["starts"] if starts is None else starts
    ends = node["ends"] if ends is None else ends
    axes = node.get("axes", range(len(starts))) if axes is None else axes
    index = [slice(None)] * x.ndim
    for i, axis in enumerate(axes):
        index[axis] = slice(int(starts[i]), int(ends[i]), None if steps is None else int(steps[i]))
    return x[tuple(index)]


@operator("Pad")
def pad(node, x, pads=None, value=None):
    pads = node["pads"] if pads is None else pads.tolist()
    widths = list(zip(pads[:x.ndim], pads[x.ndim:]))
    if node.get("mode", b"constant") == b"reflect":
        return np.pad(x, widths, "reflect")
    constant = node.get("value", 0.0) if value is None else value.item()
    return np.pad(x, widths, constant_values=constant)


def reduction(function):
    def reduce(node, x, axes=None):
        axes = node.get("axes") if axes is None else axes.tolist()
        keep = node.get("keepdims", 1) != 0
        return function(x, axis=tuple(axes) if axes is not None else None, keepdims=keep)
    return reduce


OPERATORS.update(ReduceSum=reduction(np.sum), ReduceMean=reduction(np.mean),
                 ReduceMin=reduction(np.min), ReduceMax=reduction(np.max))


@operator("GlobalMaxPool")
def global_max_pool(node, x):
    return x.max(tuple(range(2, x.ndim)), keepdims=True)


@operator("InstanceNormalization")
def instance_normalization(node, x, scale, bias):
    result = functional.instance_norm(torch.from_numpy(x), weight=torch.from_numpy(scale),
                                      bias=torch.from_numpy(bias), eps=node.get("epsilon", 1e-5))
    return result.numpy()


def convolution_pads(node, x, kernel):
    """Pads before and after each spatial axis."""
    rank = x.ndim - 2
    mode = node.get("auto_pad", b"NOTSET")
    if mode in (b"NOTSET", b"VALID"):
        pads = node.get("pads", [0] * 2 * rank)
        return list(zip(pads[:rank], pads[rank:]))
    pads = []
    for axis in range(rank):
        stride = node.get("strides", [1] * rank)[axis]
        reach = (kernel[axis] - 1) * node.get("dilations", [1] * rank)[axis] + 1
        extent = x.shape[2 + axis]
        total = max((-(-extent // stride) - 1) * stride + reach - extent, 0)
        less = total // 2
        pads.append((less, total - less) if mode == b"SAME_UPPER" else (total - less, less))
    return pads


@operator("Conv")
def convolve(node, x, weight, bias=None):
    rank = x.ndim - 2
    padded = np.pad(x, [(0, 0), (0, 0)] + convolution_pads(node, x, weight.shape[2:]))
    function = {1: functional.conv1d, 2: functional.conv2d}[rank]
    return function(torch.from_numpy(padded), torch.from_numpy(weight),
                    None if bias is None else torch.from_numpy(bias),
                    tuple(node.get("strides", [1] * rank)),
                    dilation=tuple(node.get("dilations", [1] * rank)),
                    groups=node.get("group", 1)).numpy()


@operator("ConvTranspose")
def convolve_transposed(node, x, weight, bias=None):
    rank = x.ndim - 2
    result = functional.conv_transpose2d(
        torch.from_numpy(x), torch.from_numpy(weight), None,
        tuple(node.get("strides", [1] * rank)),
        output_padding=tuple(node.get("output_padding", [0] * rank)),
        groups=node.get("group", 1), dilation=tuple(node.get("dilations", [1] * rank))).numpy()
    pads = node.get("pads", [0] * 2 * rank)
    for axis in range(rank):
        full = result.shape[2 + axis]
        before, after = pads[axis], pads[rank + axis]
        if "output_shape" in node:
            total = full - node["output_shape"][axis]
            before = max(total, 0) // 2
            after = total - before
        result = np.take(result, range(before, min(full, full - after)), 2 + axis)
        grown = [(0, max(0, -after) if i == 2 + axis else 0) for i in range(x.ndim)]
        result = np.pad(result, grown)
    return result if bias is None else result + bias.reshape([-1] + [1] * rank)


def run(model, values):
    """Adds every value of the main graph to `values`, and yields their names as they come."""
    for node in model.graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Constant":
            result = widen(onnx.numpy_helper.to_array(attributes["value"]))
        else:
            inputs = [values[name] if name else None for name in node.input]
            result = OPERATORS[node.op_type](attributes, *inputs)
        values[node.output[0]] = np.ascontiguousarray(result)
        yield node.output[0]


def main(model_path, directory):
    directory = pathlib.Path(directory)
    model = onnx.load(model_path)
    constants = {i.name: widen(onnx.numpy_helper.to_array(i)) for i in model.graph.initializer}
    inputs = json.loads((directory / "manifest.json").read_text())["inputs"]
    files = {}
    for sample in range(len(inputs[0]["files"])):
        values = dict(constants)
        for entry in inputs:
            values[entry["name"]] = widen(np.load(directory / entry["files"][sample]))
        for number, name in enumerate(run(model, values)):
            file = f"double{number}_{sample}.npy"
            np.save(directory / file, values[name])
            files.setdefault(name, []).append(file)
    entries = [{"name": name, "files": of_samples} for name, of_samples in files.items()]
    (directory / "double.json").write_text(json.dumps({"values": entries}))


if __name__ == "__main__":
    main(*sys.argv[1:])
