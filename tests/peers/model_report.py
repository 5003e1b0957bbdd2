"""Makes small networks with data, and what PyTorch's ModelReport says of them.

    model_report.py FOLDER

writes NAME.onnx, NAME.npz (the samples) and NAME.json for each network: {"batch", "config",
"detectors"}, the last with the keys of report.json. One detector runs at a time, because detectors
that share an observer overwrite each other's percentile. Needs PyTorch 1.13.
"""

import copy
import json
import math
import os
import sys
import warnings
from collections import OrderedDict

import numpy
import torch
from torch import nn
from torch.ao.quantization import QConfig, QConfigMapping
from torch.ao.quantization.fx._model_report.detector import (
    DynamicStaticDetector,
    InputWeightEqualizationDetector,
    OutlierDetector,
    PerChannelDetector,
)
from torch.ao.quantization.fx._model_report.model_report import ModelReport
from torch.ao.quantization.observer import (
    default_observer,
    default_per_channel_weight_observer,
    default_weight_observer,
)
from torch.ao.quantization.quantize_fx import prepare_fx

BATCH = 4
BATCHES = 8


def noise(*shape):
    return torch.randn(*shape)


def normal(*shape):
    """Every batch alike."""
    return [noise(BATCH, *shape) for _ in range(BATCHES)]


def growing(*shape):
    """Each batch reaches further than the one before."""
    return [noise(BATCH, *shape) * 3.0**b for b in range(BATCHES)]


def with_spikes(*shape):
    """A few values far out, in channel 1 of every batch and in channel 2 of some."""
    batches = normal(*shape)
    for b, batch in enumerate(batches):
        batch[0, 1].view(-1)[b] = 40.0
        if b % 3 == 0:
            batch[1, 2].view(-1)[0] = -60.0
    return batches


def with_constants(*shape):
    """Channel 0 is 1.5 throughout, channel 1 is 0, channel 2 is 0 in some batches."""
    batches = normal(*shape)
    for b, batch in enumerate(batches):
        batch[:, 0] = 1.5
        batch[:, 1] = 0.0
        if b % 2:
            batch[:, 2] = 0.0
    return batches


def with_negatives(*shape):
    """Channel 0 is below 0, channel 1 is mostly, channel 2 only at its far end."""
    batches = normal(*shape)
    for batch in batches:
        batch[:, 0] = -batch[:, 0].abs() - 0.5
        batch[:, 1] = batch[:, 1] - 2.0
        batch[:, 2] = batch[:, 2] * 0.01 - 3.0
    return batches


def mostly_zero(*shape):
    """After a ReLU that lets little through: 0 at the reference quantile."""
    return [torch.relu(batch - 2.3) for batch in normal(*shape)]


def uneven(*shape):
    """Ranges of the channels that lie decades apart."""
    scale = 10.0 ** torch.linspace(-2, 2, shape[0]).view(-1, *[1] * (len(shape) - 1))
    return [batch * scale for batch in normal(*shape)]


def short_last(*shape):
    batches = normal(*shape)
    batches[-1] = batches[-1][:1]
    return batches


def drifting(*shape):
    """Batches move along a direction that the first layer's weights do not see. Data and weights
    have so few digits that the sums, in which the drift cancels out, are exact."""
    return [torch.round(16 * noise(BATCH, *shape)) / 16 + 50.0 * b for b in range(BATCHES)]


def blind_to_drift(net):
    with torch.no_grad():
        weight = net.fc1.weight
        weight.copy_(torch.round(64 * weight) / 64)
        weight[:, 0] -= weight.sum(dim=1)


def dim_input_weights(net):
    with torch.no_grad():
        weight = net.conv1.weight
        weight *= (10.0 ** torch.linspace(1, -1, weight.shape[1])).view(1, -1, 1, 1)


def trained_norm(net):
    with torch.no_grad():
        net.norm1.running_mean.normal_()
        net.norm1.running_var.uniform_(0.1, 3.0)
        net.norm1.weight.uniform_(-2.0, 2.0)
        net.norm1.bias.normal_()


class Net(nn.Sequential):
    """Modules by name, one after the other; names have no dots."""

    def __init__(self, **modules):
        super().__init__(OrderedDict(modules))


def networks():
    """name: (network, batches, layers whose weights share one scale, what to do to its weights)"""
    image = (4, 6, 6)
    return {
        "conv_relu": (
            Net(conv1=nn.Conv2d(4, 6, 3), relu1=nn.ReLU(), conv2=nn.Conv2d(6, 3, 1)),
            normal(*image), ["conv2"], None),
        "conv_norm_relu": (
            Net(conv1=nn.Conv2d(4, 5, 3), norm1=nn.BatchNorm2d(5), relu1=nn.ReLU(),
                conv2=nn.Conv2d(5, 3, 3, padding=1)),
            growing(*image), [], trained_norm),
        "grouped": (
            Net(conv1=nn.Conv2d(4, 8, 3, groups=2), relu1=nn.ReLU(),
                conv2=nn.Conv2d(8, 8, 3, groups=4)),
            uneven(*image), ["conv1", "conv2"], None),
        "depthwise": (
            Net(conv1=nn.Conv2d(4, 4, 3, groups=4), conv2=nn.Conv2d(4, 6, 1), relu2=nn.ReLU(),
                pool=nn.MaxPool2d(2)),
            uneven(*image), [], None),
        "linear": (
            Net(fc1=nn.Linear(7, 9), relu1=nn.ReLU(), fc2=nn.Linear(9, 4)),
            normal(7), ["fc1"], None),
        "linear_growing": (
            Net(fc1=nn.Linear(7, 9), relu1=nn.ReLU(), fc2=nn.Linear(9, 4), act=nn.ELU()),
            growing(7), [], None),
        "linear_drifting": (
            Net(fc1=nn.Linear(6, 5, bias=False), fc2=nn.Linear(5, 4), relu2=nn.ReLU()),
            drifting(6), ["fc2"], blind_to_drift),
        "spikes": (
            Net(conv1=nn.Conv2d(4, 6, 3), relu1=nn.ReLU(), pool=nn.AdaptiveAvgPool2d(1),
                flat=nn.Flatten(), fc=nn.Linear(6, 3)),
            with_spikes(*image), [], None),
        "constants": (
            Net(conv1=nn.Conv2d(4, 6, 3), relu1=nn.ReLU(), conv2=nn.Conv2d(6, 3, 1)),
            with_constants(*image), [], None),
        "negatives": (
            Net(conv1=nn.Conv2d(4, 6, 3), act=nn.ELU(), conv2=nn.Conv2d(6, 3, 1)),
            with_negatives(*image), [], None),
        "sparse": (
            Net(relu0=nn.ReLU(), conv1=nn.Conv2d(4, 6, 3), relu1=nn.ReLU(),
                conv2=nn.Conv2d(6, 3, 1)),
            mostly_zero(*image), [], None),
        "uneven_weights": (
            Net(conv1=nn.Conv2d(4, 6, 3), relu1=nn.ReLU(), conv2=nn.Conv2d(6, 3, 1)),
            uneven(*image), [], dim_input_weights),
        "conv1d": (
            Net(conv1=nn.Conv1d(4, 6, 3), relu1=nn.ReLU(), conv2=nn.Conv1d(6, 3, 3)),
            short_last(4, 16), ["conv1"], None),
        "conv3d": (
            Net(conv1=nn.Conv3d(4, 3, 2), relu1=nn.ReLU(), conv2=nn.Conv3d(3, 2, 2)),
            with_spikes(4, 4, 4, 4), [], None),
    }


def report_of(net, batches, per_tensor, detector):
    fine = QConfig(activation=default_observer, weight=default_per_channel_weight_observer)
    coarse = QConfig(activation=default_observer, weight=default_weight_observer)
    mapping = QConfigMapping().set_global(fine)
    for name in per_tensor:
        mapping.set_module_name(name, coarse)
    # A copy, because observers stay behind in the modules.
    prepared = prepare_fx(copy.deepcopy(net), mapping, (batches[0],))
    report = ModelReport(prepared, {detector})
    observed = report.prepare_detailed_calibration()
    for batch in batches:
        observed(batch)
    return report.generate_model_report(False)[detector.get_detector_name()][1]


def number(value):
    value = float(value)
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def numbers(values):
    return [number(value) for value in values]


def node_names(net):
    """The ONNX node of each module of the fused network: "conv1.0" and "conv1.1" are what
    "conv1" and the ReLU behind it have become."""
    operators = {
        nn.Linear: "Gemm", nn.ReLU: "Relu", nn.MaxPool2d: "MaxPool", nn.Flatten: "Flatten",
        nn.AdaptiveAvgPool2d: "GlobalAveragePool", nn.ELU: "Elu",
        nn.Conv1d: "Conv", nn.Conv2d: "Conv", nn.Conv3d: "Conv",
    }

    def operator_of(module):
        without_bias = type(module) is nn.Linear and module.bias is None
        return "MatMul" if without_bias else operators[type(module)]

    kept = [(name, operator_of(module)) for name, module in net.named_children()
            if type(module) in operators]
    names = {}
    for i, (name, operator) in enumerate(kept):
        node = "/{0}/{1}".format(name, operator)
        names[name] = names[name + ".0"] = node
        if i + 1 < len(kept) and kept[i + 1][1] == "Relu":
            names[name + ".1"] = "/{0}/Relu".format(kept[i + 1][0])
    return names


def detectors_of(net, batches, per_tensor):
    nodes = node_names(net)

    def run(detector, convert):
        info = report_of(net, batches, per_tensor, detector)
        return {nodes[module]: convert(entry) for module, entry in info.items()}

    return {
        "per_channel": run(PerChannelDetector("fbgemm"), lambda entry: {
            "supported": entry["per_channel_quantization_supported"],
            "used": entry["per_channel_quantization_used"]}),
        "dynamic_static": run(DynamicStaticDetector(), lambda entry: {
            "input_s": number(entry["input_activation_dynamic_static_comp_stat"]),
            "output_s": number(entry["output_activation_dynamic_static_comp_stat"]),
            "dynamic_recommended": bool(entry["dynamic_recommended"])}),
        "equalization": run(InputWeightEqualizationDetector(0.5), lambda entry: {
            "s": numbers(entry["input_weight_channel_comparison_metrics"]),
            "recommended": entry["input_weight_equalization_recommended"],
            "layer_recommended": sum(entry["input_weight_equalization_recommended"])
            / len(entry["input_weight_equalization_recommended"])
            >= InputWeightEqualizationDetector.DEFAULT_RECOMMEND_INPUT_WEIGHT_CHANNEL_RATIO}),
        "outlier": run(OutlierDetector(), lambda entry: {
            "ratio": numbers(entry["outlier_detection_percentile_ratios"]),
            "outlier": entry["outliers_detected"],
            "sufficient_batches": entry["outlier_detection_is_sufficient_batches"],
            "batches_used": [int(n) for n in entry["outlier_detection_batches_used"]],
            "constant_batches": [int(n) for n in entry["constant_batch_counts"]]}),
    }


def config_of(net, per_tensor):
    nodes = node_names(net)
    per_tensor_weight = {"weight": {"granularity": "per-tensor"}}
    return {"quantscope": 1, "nodes": {nodes[name]: per_tensor_weight for name in per_tensor}}


def write(folder, name, net, batches, per_tensor):
    path = os.path.join(folder, name)
    torch.onnx.export(net, batches[0][:1], path + ".onnx", opset_version=13, input_names=["x"],
                      output_names=["y"], dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})
    numpy.savez_compressed(path + ".npz", x=torch.cat(batches).numpy())
    result = {"batch": BATCH, "config": config_of(net, per_tensor),
              "detectors": detectors_of(net, batches, per_tensor)}
    with open(path + ".json", "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


def main():
    warnings.simplefilter("ignore")
    torch.manual_seed(20)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, (net, batches, per_tensor, prepare) in networks().items():
        if prepare:
            prepare(net)
        net.eval()
        write(sys.argv[1], name, net, batches, per_tensor)


if __name__ == "__main__":
    main()
