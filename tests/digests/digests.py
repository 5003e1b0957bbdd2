#!/usr/bin/env python3
"""Digests of every result of the command line, to show that a change of structure changes no bit.

    digests.py record PROGRAM FILE [--models DIR]    writes the digests of what PROGRAM gives
    digests.py compare PROGRAM FILE [--models DIR]   tells what PROGRAM gives otherwise

PROGRAM is quantscope-cli. Each model is analysed, calibrated and run under seven configurations, and
asked which values share an observer; the bundled samples always, those of DIR where it is given. A
file of digests also holds which keys the reports had: a key that is new since then is passed over,
one that is gone is a difference. Sentences and times are no results and are left out.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLES = 3
# Of networks that take long.
FEW_SAMPLES = {"fns_mosaic_std": 1, "gtcrn_unrolled_x4": 1, "basic_pitch_nmp": 1, "supres_core": 1}

PER_TENSOR = {"type": "int8", "symmetric": True, "granularity": "per-tensor"}
CONFIGURATIONS = {
    "x86": {"quantscope": 1},
    "qnnpack": {"quantscope": 1, "backend": "qnnpack", "default": {"weight": PER_TENSOR}},
    "generic": {"quantscope": 1, "backend": "generic"},
    "mixed": {
        "quantscope": 1,
        "backend": "generic",
        "op_types": {
            "Conv": {"weight": {"type": "int4", "granularity": "per-channel", "observer": "mse"},
                     "activation": {"type": "uint8", "symmetric": False, "observer": "histogram"}},
            "MatMul": {"weight": {"type": "int8"}, "activation": {"type": "int16"}},
            "Gemm": {"weight": {"type": "int4", "granularity": "per-group:1:32"},
                     "activation": {"type": "fp8e4m3", "symmetric": True}},
            "Add": {"activation": {"type": "bf16", "symmetric": True}},
            "Sigmoid": "fp32",
        },
    },
    "per-tensor": {"quantscope": 1, "default": {"weight": PER_TENSOR}},
    "per-channel": {
        "quantscope": 1,
        "backend": "generic",
        # Values that share a grid with others have none for each channel.
        "op_types": {"Conv": {"activation": {"granularity": "per-channel:1"},
                              "output": {"granularity": "per-tensor"}}},
    },
    "dynamic": {"quantscope": 1, "default": {"activation": {"mode": "dynamic"}}},
}

# Objects whose keys are names of the model, by the path that leads to them.
NAMED = {"report.detectors.per_channel", "report.detectors.dynamic_static",
         "report.detectors.equalization", "report.detectors.outlier", "calibrate.values",
         "calibrate.values.*.params", "report.findings[].suggestion.changes"}
# Sentences, places and times.
NO_RESULTS = {"text", "why", "reason", "title", "definition", "notices", "seconds", "about", "scheme",
              "version", "config", "hint", "explanation", "remedy", "sentence"}


def schema_of(value, path, keys):
    """The paths of all keys, names of the model as '*' and items of lists as '[]'."""
    if isinstance(value, dict):
        for key, item in value.items():
            if path not in NAMED and key in NO_RESULTS:
                continue
            inner = path + (".*" if path in NAMED else "." + key)
            keys.add(inner)
            schema_of(item, inner, keys)
    elif isinstance(value, list):
        for item in value:
            schema_of(item, path + "[]", keys)


def pruned(value, path, keys):
    """`value` without sentences and, where `keys` are known, without keys that are not among them."""
    if isinstance(value, dict):
        result = {}
        for key, item in value.items():
            inner = path + (".*" if path in NAMED else "." + key)
            if (path not in NAMED and key in NO_RESULTS) or (keys is not None and inner not in keys):
                continue
            result[key] = pruned(item, inner, keys)
        return result
    if isinstance(value, list):
        return [pruned(item, path + "[]", keys) for item in value]
    return value


def parts_of(report):
    """(name, value) of what is told apart: columns of the nodes, findings by detector, the rest."""
    for part, value in report.items():
        if part == "nodes":
            for column in sorted({key for node in value for key in node}):
                yield "nodes." + column, [node.get(column) for node in value]
        elif part == "findings":
            for detector in sorted({finding["detector"] for finding in value}):
                yield "findings." + detector, [f for f in value if f["detector"] == detector]
        elif isinstance(value, dict):
            for inner in value:
                yield part + "." + inner, value[inner]
        else:
            yield part, value


def digest(value):
    text = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()[:16]


class Recorder:
    def __init__(self, program, known):
        self.program = os.path.abspath(program)
        self.known = set(known["keys"]) if known else None
        self.keys = set()
        self.digests = {}
        self.samples = str(SAMPLES)

    def call(self, *arguments):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        return done.returncode

    def read(self, file, kind):
        with open(file, encoding="utf-8") as text:
            value = json.load(text)
        schema_of(value, kind, self.keys)
        return pruned(value, kind, self.known)

    def add_model(self, name, model, data):
        self.samples = str(FEW_SAMPLES.get(name, SAMPLES))
        for configuration, content in CONFIGURATIONS.items():
            with tempfile.TemporaryDirectory() as folder:
                config = os.path.join(folder, "c.json")
                with open(config, "w", encoding="utf-8") as file:
                    json.dump(content, file)
                key = name + "/" + configuration
                self.add_analysis(key, model, data, config, os.path.join(folder, "report"))
                self.add_groups(key, model, config, os.path.join(folder, "groups.json"))
                self.add_calibration(key, model, data, config, os.path.join(folder, "k.json"))
                self.add_run(key, model, data, config, os.path.join(folder, "run"))

    def add_analysis(self, key, model, data, config, out):
        status = self.call("analyze", model, "--data", data, "--samples", self.samples, "--config",
                           config, "--out", out, "--quiet")
        if status != 0:
            self.digests[key + "/analyze"] = f"status {status}"
            return
        report = self.read(os.path.join(out, "report.json"), "report")
        for part, value in parts_of(report):
            self.digests[key + "/report." + part] = digest(value)

    def add_groups(self, key, model, config, out):
        status = self.call("groups", model, "--config", config, "--json", out, "--quiet")
        self.digests[key + "/groups"] = (
            digest(self.read(out, "groups")) if status == 0 else f"status {status}")

    def add_calibration(self, key, model, data, config, out):
        status = self.call("calibrate", model, "--data", data, "--samples", self.samples, "--config",
                           config, "--out", out, "--quiet")
        self.digests[key + "/calibrate"] = (
            digest(self.read(out, "calibrate")) if status == 0 else f"status {status}")

    def add_run(self, key, model, data, config, out):
        status = self.call("run", model, "--data", data, "--samples", "1", "--calibration", data,
                           "--config", config, "--values", "all", "--out", out, "--quiet")
        if status != 0:
            self.digests[key + "/run"] = f"status {status}"
            return
        whole = hashlib.sha256()
        for file in sorted(os.listdir(out)):
            with open(os.path.join(out, file), "rb") as content:
                whole.update(file.encode() + content.read())
        self.digests[key + "/run"] = whole.hexdigest()[:16]


def models(folder):
    """(name, model, data) of the bundled samples and of DIR."""
    for place in filter(None, [os.path.join(ROOT, "samples"), folder]):
        for file in sorted(os.listdir(place)):
            stem, extension = os.path.splitext(file)
            data = os.path.join(place, stem + ".npz")
            if extension == ".onnx" and os.path.exists(data):
                yield stem, os.path.join(place, file), data


def record(program, known, folder, only):
    recorder = Recorder(program, known)
    for name, model, data in models(folder):
        if only and name not in only:
            continue
        print(name, file=sys.stderr, flush=True)
        recorder.add_model(name, model, data)
    return recorder


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("--models", help="a folder of NAME.onnx with NAME.npz")
    parser.add_argument("--only", nargs="*", help="names of the models to look at")
    options = parser.parse_args()
    if options.action == "record":
        recorder = record(options.program, None, options.models, options.only)
        with open(options.file, "w", encoding="utf-8") as file:
            json.dump({"keys": sorted(recorder.keys), "digests": recorder.digests}, file, indent=1)
            file.write("\n")
        return 0
    with open(options.file, encoding="utf-8") as file:
        known = json.load(file)
    now = record(options.program, known, options.models, options.only).digests
    names = {key.split("/")[0] for key in now}
    before = {key: value for key, value in known["digests"].items() if key.split("/")[0] in names}
    different = [key for key in before if now.get(key) != before[key]]
    for key in different:
        print(f"{key}: {before[key]} -> {now.get(key, 'absent')}")
    print(f"{len(before) - len(different)} passed, {len(different)} failed")
    return 1 if different or not before else 0


if __name__ == "__main__":
    sys.exit(main())
