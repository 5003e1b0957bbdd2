#!/usr/bin/python3
"""expose_values.py MODEL COPY: writes a copy of MODEL whose outputs are all its main graph's values.

ONNX Runtime then returns every intermediate result. The outputs carry no type: ONNX Runtime infers
it. Needs Debian's python3-onnx.
"""

import sys

import onnx


def main(model_path, copy_path):
    model = onnx.load(model_path)
    graph = model.graph
    shown = {value.name for value in graph.output}
    for node in graph.node:
        for name in node.output:
            if name and name not in shown:
                graph.output.append(onnx.ValueInfoProto(name=name))
                shown.add(name)
    onnx.save(model, copy_path)


if __name__ == "__main__":
    main(*sys.argv[1:])
