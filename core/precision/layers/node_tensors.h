#pragma once

#include <optional>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// True for element types that can be quantized, and where the type is not known.
bool mayBeFloat(const Graph& graph, ValueId value);

/// True for a Gather that looks up rows of a constant float matrix.
bool isEmbedding(const Engine& engine, const Node& node);
/// True for every other Gather: it only moves data.
bool looksUpOtherwise(const Engine& engine, const Node& node);

/// The places of a node's constant weights among its inputs: one of Conv, ConvTranspose, Gemm,
/// MatMul, Einsum and embeddings, input and recurrent weights of LSTM, GRU and RNN.
std::vector<std::size_t> weightInputs(const Engine& engine, const Node& node);
/// The first of them; none where there is none.
std::optional<std::size_t> weightInput(const Engine& engine, const Node& node);

/// The places of the inputs that carry activations: not weights, biases, bounds, scales of a
/// Resize, statistics, slopes and states of a recurrence.
std::vector<std::size_t> activationInputs(const Engine& engine, const Node& node);

}  // namespace quantscope
