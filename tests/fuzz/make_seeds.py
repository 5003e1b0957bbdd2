#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets: python3 tests/fuzz/make_seeds.py QUANTSCOPE_CLI

Needs python3-onnx and python3-numpy. Inputs that were findings stand beside the seeds and stay.
"""
import io
import json
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

HERE = pathlib.Path(__file__).parent
CORPORA = HERE / "corpora"
CLI = sys.argv[1]


def write(target, name, content):
    if isinstance(content, (dict, list)):
        content = json.dumps(content, separators=(",", ":"))
    if isinstance(content, str):
        content = content.encode()
    folder = CORPORA / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def tensor(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def floats(name, *shape):
    count = int(np.prod(shape))
    return tensor(name, (np.arange(count, dtype=np.float32) % 7 / 4 - 0.75).reshape(shape))


def value(name, shape, kind=T.FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants=(), opset=17, domains=()):
    graph = h.make_graph(nodes, "g", inputs, outputs, initializer=list(constants))
    imports = [h.make_opsetid("", opset)] + [h.make_opsetid(d, 1) for d in domains]
    return h.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()


def small_network():
    """That of small_model.cpp."""
    return model(
        [h.make_node("Conv", ["x", "w", "b"], ["c"], "conv"),
         h.make_node("Relu", ["c"], ["r"], "relu"),
         h.make_node("Flatten", ["r"], ["f"], "flatten"),
         h.make_node("Gemm", ["f", "v"], ["y"], "linear")],
        [value("x", [1, 2, 4, 4])], [value("y", [1, 4])],
        [floats("w", 3, 2, 3, 3), floats("b", 3), floats("v", 12, 4)])


def quantized_network():
    scale, zero = tensor("s", np.float32(0.1)), tensor("z", np.uint8(128))
    weights = tensor("q", (np.arange(54) % 200 - 100).astype(np.int8).reshape(3, 2, 3, 3))
    scales, zeros = tensor("ws", np.float32([0.1, 0.2, 0.3])), tensor("wz", np.zeros(3, np.int8))
    return model(
        [h.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
         h.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
         h.make_node("DequantizeLinear", ["q", "ws", "wz"], ["w"], axis=0),
         h.make_node("Conv", ["xd", "w"], ["c"], "conv")],
        [value("x", [1, 2, 4, 4])], [value("c", [1, 3, 2, 2])],
        [scale, zero, weights, scales, zeros])


def control_flow():
    body = h.make_graph(
        [h.make_node("Add", ["a", "one"], ["a2"]), h.make_node("Identity", ["c"], ["c2"])], "body",
        [value("i", [], T.INT64), value("c", [], T.BOOL), value("a", [1])],
        [value("c2", [], T.BOOL), value("a2", [1])], initializer=[floats("one", 1)])
    then = h.make_graph([h.make_node("Relu", ["l"], ["t"])], "then", [], [value("t", [1])])
    other = h.make_graph([h.make_node("Neg", ["l"], ["e"])], "else", [], [value("e", [1])])
    return model(
        [h.make_node("Loop", ["n", "go", "x"], ["l"], "loop", body=body),
         h.make_node("If", ["go"], ["y"], "if", then_branch=then, else_branch=other)],
        [value("x", [1])], [value("y", [1])],
        [tensor("n", np.int64(3)), tensor("go", np.bool_(True))])


def shape_arithmetic():
    return model(
        [h.make_node("Shape", ["x"], ["s"]),
         h.make_node("Gather", ["s", "zero"], ["n"], axis=0),
         h.make_node("Concat", ["n", "rest"], ["t"], axis=0),
         h.make_node("Reshape", ["x", "t"], ["r"]),
         h.make_node("ConstantOfShape", ["t2"], ["k"]),
         h.make_node("MatMul", ["r", "k"], ["m"]),
         h.make_node("Slice", ["m", "zero", "one"], ["y"])],
        [value("x", ["batch", 2, 3])], [value("y", None)],
        [tensor("zero", np.int64([0])), tensor("one", np.int64([1])),
         tensor("rest", np.int64([-1])), tensor("t2", np.int64([6, 2]))])


def recurrent():
    return model(
        [h.make_node("LSTM", ["x", "w", "r"], ["y"], "lstm", hidden_size=2, direction="reverse"),
         h.make_node("Squeeze", ["y", "one"], ["s"]),
         h.make_node("LayerNormalization", ["s", "g"], ["n"]),
         h.make_node("Softmax", ["n"], ["p"], axis=-1)],
        [value("x", [2, 1, 3])], [value("p", None)],
        [floats("w", 1, 8, 3), floats("r", 1, 8, 2), floats("g", 2),
         tensor("one", np.int64([1]))])


def old_opset():
    return model(
        [h.make_node("BatchNormalization", ["x", "g", "g", "g", "g"], ["n"]),
         h.make_node("Upsample", ["n"], ["u"], mode="nearest", scales=[1.0, 1.0, 2.0, 2.0]),
         h.make_node("Clip", ["u"], ["c"], min=0.0, max=6.0),
         h.make_node("AveragePool", ["c"], ["a"], kernel_shape=[2, 2], pads=[0, 0, 1, 1]),
         h.make_node("Dropout", ["a"], ["y"])],
        [value("x", [1, 2, 3, 3])], [value("y", None)], [floats("g", 2)], opset=8)


def microsoft():
    return model(
        [h.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], domain="com.microsoft"),
         h.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], domain="com.microsoft"),
         h.make_node("Unheard", ["y"], ["u"], domain="example.org")],
        [value("x", [2, 2])], [value("u", None)],
        [tensor("s", np.float32(0.5)), tensor("z", np.uint16(7))], domains=["com.microsoft"])


def npy(array, order="C"):
    stream = io.BytesIO()
    np.save(stream, np.asarray(array, order=order))
    return stream.getvalue()


def npz(compressed=False, **arrays):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as z:
        for name, array in arrays.items():
            z.writestr(zipfile.ZipInfo(name + ".npy"), npy(array))
    return stream.getvalue()


def png(color, depth, row, extra=b""):
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    header = struct.pack(">IIBBBBB", 4, 4, depth, color, 0, 0, 0)
    rows = b"".join(b"\0" + row for _ in range(4))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def palette():
    data = bytes(range(12))
    return struct.pack(">I", len(data)) + b"PLTE" + data + struct.pack(">I", zlib.crc32(b"PLTE" + data))


def arrays_and_images():
    for kind in "f4 f8 f2 i1 u1 i2 u2 i4 u4 i8 u8 b1".split():
        write("npy", kind + ".npy", npy(np.arange(6).reshape(2, 3).astype("<" + kind)))
    write("npy", "big_endian.npy", npy(np.arange(6).reshape(2, 3).astype(">f4")))
    write("npy", "fortran.npy", npy(np.arange(6.0).reshape(2, 3), "F"))
    write("npy", "scalar.npy", npy(np.float32(3)))
    write("npy", "empty.npy", npy(np.zeros((0, 3), np.float32)))
    write("npy", "version_2.npy", b"\x93NUMPY\2\0" + struct.pack("<I", 54) +
          b"{'descr': '<f4', 'fortran_order': False, 'shape': ()}\n" + bytes(4))
    write("labels", "labels.npy", npy(np.int64([0, 3, 1])))
    write("labels", "bytes.npy", npy(np.uint8([0, 3, 1])))
    write("labels", "negative.npy", npy(np.int32([-1])))
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    write("npz", "stored.npz", npz(x=x, y=np.int64([1, 2])))
    write("npz", "deflated.npz", npz(True, x=x))
    write("image", "rgb.png", png(2, 8, bytes(range(12))))
    write("image", "gray16.png", png(0, 16, bytes(range(8))))
    write("image", "palette.png", png(3, 2, b"\x1b", palette()))
    write("image", "alpha.png", png(6, 8, bytes(range(16))))
    for name in ("rgb", "cmyk", "gray", "progressive"):
        shutil.copy(HERE / ".." / "data" / "images" / (name + ".jpg"), CORPORA / "image")


def models():
    write("onnx", "small_network.onnx", small_network())
    write("onnx", "quantized_network.onnx", quantized_network())
    write("onnx", "control_flow.onnx", control_flow())
    write("onnx", "shape_arithmetic.onnx", shape_arithmetic())
    write("onnx", "recurrent.onnx", recurrent())
    write("onnx", "old_opset.onnx", old_opset())
    write("onnx", "microsoft.onnx", microsoft())
    write("qdq_model", "quantized_network.onnx", quantized_network())
    write("qdq_model", "microsoft.onnx", microsoft())
    # Findings that are plain enough to be written down.
    write("qdq_model", "dequantize_without_inputs.onnx",
          model([h.make_node("DequantizeLinear", [], ["y"])], [value("x", [2])], [value("y", [2])]))
    write("onnx", "erf_without_inputs.onnx",
          model([h.make_node("Erf", [], ["y"])], [value("x", [2])], [value("y", [2])]))
    write("onnx", "infinite_dynamic_range.onnx",
          model([h.make_node("DynamicQuantizeLinear", ["k"], ["y", "s", "z"])], [value("x", [2])],
                [value("y", [2], T.UINT8)], [tensor("k", np.float32([-np.inf, 1]))]))
    for kind in (np.float32, np.int64, np.float16, np.bool_, np.uint8):
        name = np.dtype(kind).name
        write("onnx_tensor", name + ".pb",
              tensor("x", np.arange(4).reshape(2, 2).astype(kind)).SerializeToString())
    write("onnx_tensor", "float_data.pb",
          h.make_tensor("x", T.FLOAT, [2], [1.0, 2.0]).SerializeToString())
    write("onnx_tensor", "bfloat16.pb",
          h.make_tensor("x", T.BFLOAT16, [2], bytes(4), raw=True).SerializeToString())
    # Of the one that builds its own model: operator, opset, inputs …
    for first in range(0, 182, 13):
        write("one_operator", f"operator_{first}",
              bytes([first, 1, 3]) + bytes((first * 7 + i * 37) % 256 for i in range(60)))


INT8 = {"type": "int8", "symmetric": True, "granularity": "per-channel:0", "observer": "minmax"}
UINT8 = {"type": "uint8", "symmetric": False, "observer": "histogram:64", "mode": "static",
         "range": [-1, 2.5]}
CONFIGURATION = {
    "quantscope": 1, "backend": "onnxruntime", "bias": "int32-fit", "convention": "onnx",
    "calibration_samples": 2, "default": {"weight": INT8, "activation": UINT8},
    "op_types": {"Gemm": "fp32"}, "patterns": [{"match": "co.*", "use": {"weight": {"type": "int4", "granularity": "per-group:1:2"}}}],
    "nodes": {"linear": {"activation": {"type": "uint8", "mode": "dynamic"}}},
    "detectors": {"equalization_ratio": 0.5, "outlier_ratio": 3, "reference_percentile": 0.9},
    "encodings": {"relu": {"type": "uint8", "scale": [0.5], "zero_point": [3]},
                  "[\"f\",\"linear\"]": {"type": "int8", "scale": [0.25]}},
    "groups": {"join": [["conv", "relu"]], "part": [["relu", "flatten"]]},
    "repairs": {"equalize": {"linear": [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]}},
}


def configurations():
    write("configuration", "everything.json", CONFIGURATION)
    write("configuration", "empty.json", {"quantscope": 1})
    write("configuration", "types.json", {
        "quantscope": 1, "backend": "generic",
        "default": {"weight": {"type": "ternary", "observer": "mse"},
                    "activation": {"type": "fp8e4m3", "observer": "percentile:1:99"}}})
    write("configuration", "codes.json", {
        "quantscope": 1, "backend": "x86", "nodes": {"conv": {
            "weight": {"type": "int8", "qmin": -127, "qmax": 127, "observer": "kl"},
            "output": {"type": "int16", "observer": "moving-average:0.1"}}}})
    plain = {"quantscope": 1, "backend": "x86"}
    write("document", "journal.json", {
        "quantscope_document": 1, "files": {"model": {"path": "m.onnx", "content_id": "", "stamp": "1"}},
        "settings": {"batch": 1, "seed": 7, "detectors": "pytorch", "samples": 2,
                     "preprocessing": {"color": "gray"}},
        "start": plain, "configurations": {"first": CONFIGURATION}, "position": 4,
        "journal": [
            {"finding": "outlier/conv", "dismissed": True},
            {"sentence": "set conv to FP16", "steps": [
                {"set": "nodes", "name": "conv", "value": "fp32"},
                {"set": "patterns", "name": "co.*", "value": "fp32", "position": 0},
                {"set": "bias", "value": "float"}, {"set": "calibration_samples", "value": 3}]},
            {"sentence": "exactly", "steps": [
                {"set": "encodings", "name": "relu", "value": {"type": "uint8", "scale": [0.5]}},
                {"set": "equalize", "name": "linear", "value": [1, 2]},
                {"set": "groups", "value": {"part": ["relu"]}}]},
            {"naming": "keep first", "before": {"second": None}, "after": {"second": plain}}]})
    settings = {"batch": 1, "seed": 7, "detectors": "quantscope"}
    decided = {"configuration": "0123", "held_out_db": 12.5, "learned": ["AAE="], "steps": [
        {"step": "equalize", "what": "both ways", "way": 1, "only": ["conv"], "kept": True,
         "reason": "", "gain_calibration_db": 1.5}]}
    write("document", "choices.json", {
        "quantscope_document": 1, "files": {"data": {"path": "random:4", "content_id": ""}},
        "settings": settings, "start": plain, "configurations": {}, "repairs": decided,
        "position": 2, "journal": [
            {"data_choice": "use random:4", "before": {"data": "a.npz", "settings": settings},
             "after": {"data": "random:4", "calibration": "c.npz", "labels": "l.csv",
                       "settings": {**settings, "batch": 2}}},
            {"repair": "try equalize", "after": decided},
            {"naming": "use first", "before": {"second": None}, "after": {"second": plain},
             "change": {"sentence": "use first", "steps": [
                 {"set": "nodes", "name": "conv", "value": "fp32"}]}}]})
    for name in ("x86", "qnnpack"):
        whole = (HERE / "../../resources/core/backends" / (name + ".json")).read_text()
        write("backend", name + ".json", json.loads(whole))
    profiles = (HERE / "../../resources/core/profiles/profiles.json").read_text()
    write("profiles", "shipped.json", json.loads(profiles))
    write("strategy", "priorities.json", {"int8_priority": 0.9, "accuracy_weight": 0.7})
    write("strategy", "criteria", "custom:0.02:1.5")
    write("cost_table", "two_types.json", {
        "quantscope_cost": 1, "device": "a machine",
        "layers": {"conv": {"fp32": {"us": 10.5, "estimated": False},
                            "int8": {"us": 3, "estimated": True}}},
        "conversions": {"x": {"quantize_us": 1, "dequantize_us": 0.5}}})
    write("preprocessing", "everything.json", {
        "size": [4, 5], "resize": "letterbox", "crop": [2, 2], "color": "bgr", "scale": 0.00392,
        "mean": [0.5, 0.4, 0.3], "std": [0.2, 0.2, 0.2], "layout": "nhwc"})
    write("preprocessing", "gray.json", {"color": "gray", "mean": [0.5], "resize": "shorter-side"})
    write("annotations", "shared.json", {"nodes": {
        "conv": {"inputs": {"x": {"dtype": "uint8", "dynamic": False}}, "output": None},
        "relu": {"inputs": {"conv": {"shared_with": ["x", "conv"]}},
                 "output": {"shared_with": "conv"}, "implicit_sharing": False}}})


def foreign_files():
    integer = {"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "min": -1.28, "max": 1.27,
               "scale": 0.01, "offset": -128}
    write("aimet", "0.6.1.json", {
        "version": "0.6.1", "activation_encodings": {"r": [integer]},
        "param_encodings": {"w": [integer, integer, integer], "v": [{"bitwidth": 16, "dtype": "float"}]},
        "quantizer_args": {"activation_bitwidth": 8, "param_bitwidth": 8}})
    write("aimet", "1.0.0.json", {
        "version": "1.0.0",
        "activation_encodings": [{"name": "r", "enc_type": "PER_TENSOR", "dtype": "INT", "bw": 8,
                                  "is_sym": False, "scale": [0.1], "offset": [-3]}],
        "param_encodings": [{"name": "v", "enc_type": "PER_BLOCK", "dtype": "INT", "bw": 4,
                             "is_sym": True, "scale": [0.1] * 24, "offset": [-8] * 24,
                             "block_size": 2}]})
    write("aimet", "2.0.0.json", {"version": "2.0.0", "encodings": [
        {"name": "w", "output_dtype": "int8", "y_scale": [0.1, 0.2, 0.3], "axis": 0},
        {"name": "r", "output_dtype": "uint8", "y_scale": 0.1, "y_zero_point": 3}]})
    write("tensorrt_cache", "cache",
          "TRT-8601-EntropyCalibration2\nx: 3c010204\nr: 3f800000\n(Unnamed Layer* 0): 3c010a14\n")
    write("matches", "matched.json", {"matched": [{"float": "r", "quantized": "r2"},
                                                  {"float": "c", "quantized": None}]})
    write("device_dumps", "npy_and_raw.json", {"values": [
        {"name": "a", "file": "a.npy", "shape": [2, 3], "dtype": "float32"},
        {"name": "b", "file": "b.raw", "shape": [2, 3], "dtype": "float32"},
        {"name": "c", "files": ["a.npy", "b.raw"], "shape": [24], "dtype": "uint8"}]})


def results():
    """What the program itself writes of an analysis of the small network."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        network = folder / "m.onnx"
        network.write_bytes(small_network())
        subprocess.run([CLI, "analyze", network, "--data", "random:2", "--project", folder / "p.quantscope",
                        "--out", folder / "out", "--quiet"], check=True)
        subprocess.run([CLI, "sensitivity", network, "--data", "random:2", "--types", "int8,fp16", "--json",
                        folder / "s.json", "--quiet"], check=True)
        subprocess.run([CLI, "sensitivity", network, "--data", "random:2", "--types", "int8,fp16", "--shard",
                        "1/2", "--json", folder / "s1.json", "--quiet"], check=True)
        write("sensitivity", "whole.json", json.loads((folder / "s.json").read_text()))
        write("sensitivity", "shard.json", json.loads((folder / "s1.json").read_text()))
        database = sqlite3.connect(folder / "p.quantscope")
        parts = dict(database.execute("SELECT part, content FROM analysis"))
        kinds = ["result", "findings", "observations", "error", "outline"]
        for kind, part in enumerate(kinds):
            if part == "error":
                content = database.execute("SELECT record FROM errors LIMIT 1").fetchone()[0]
            else:
                content = bytes(parts[part])
            if part == "observations":
                content = content[8:-4]  # its mark and checksum are put around it again
            write("kept_results", part, bytes([kind]) + bytes(content))
        database.execute("DELETE FROM analysis")
        database.execute("DELETE FROM errors")
        database.commit()
        # Small pages, so that a file with eight tables is small.
        database.execute("PRAGMA page_size = 512")
        database.execute("VACUUM")
        database.close()
        write("project", "document.quantscope", (folder / "p.quantscope").read_bytes())


if __name__ == "__main__":
    arrays_and_images()
    models()
    configurations()
    foreign_files()
    results()
    print(sum(f.stat().st_size for f in CORPORA.rglob("*") if f.is_file()), "bytes")
