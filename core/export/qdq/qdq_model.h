#pragma once

#include <map>
#include <optional>
#include <vector>

#include "engine/engine.h"
#include "export/export_loss.h"
#include "onnx/writing/model_draft.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// A quantized model as ONNX operators.
struct QdqModel {
  ModelDraft draft;  ///< with a finished graph
  int opset = 0;
  /// By value of the original graph: the value of the draft that its readers read; invalid if the
  /// draft lacks the value, such as those inside a fused pattern.
  std::vector<ValueId> readAs;
  /// By value of the draft: another one that holds the same numbers; see HiddenGrids.
  std::map<ValueId, ValueId> hidden;
  ExportLosses losses;
};

/// Writes `model`, the graph of `engine` under a configuration, with QuantizeLinear and
/// DequantizeLinear where its parameters apply: behind outputs, on edges (edges of one value with
/// the same parameters share a pair), weights and biases as codes, folded batch normalizations
/// gone. Nodes and values keep their names; a graph output that is rounded keeps its name behind
/// the pair.
///
/// The opset is `opset`, else the model's or what the types need: 13, 19 for FP8, 21 for 4 and 16
/// bits and blocks. Throws InvalidParameters where `opset` is below the model's or cannot hold the
/// types, and UnsupportedOperation, naming the node, where a node cannot be lifted to it.
///
/// `hidesGrids`: float weights stay float in ONNX Runtime, see HiddenGrids; TensorRT reads no
/// activations with scales per channel.
QdqModel buildQdqModel(const Engine& engine, const QuantizedModel& model,
                       std::optional<int> opset = std::nullopt, bool hidesGrids = false);

}  // namespace quantscope
