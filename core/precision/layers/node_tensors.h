#pragma once

#include <optional>
#include <vector>

#include "engine/engine.h"

namespace quantscope {

/// True for element types that can be quantized, and where the type is not known.
bool mayBeFloat(const Graph& graph, ValueId value);

/// True for a Gather that looks up rows of a constant float matrix.
bool isEmbedding(const Engine& engine, const Node& node);

/// The places of a node's constant weights among its inputs: one of Conv, ConvTranspose, Gemm,
/// MatMul, Einsum and embeddings, input and recurrent weights of LSTM, GRU and RNN.
std::vector<std::size_t> weightInputs(const Engine& engine, const Node& node);
/// The first of them; none where there is none.
std::optional<std::size_t> weightInput(const Engine& engine, const Node& node);

/// The places of the inputs that carry activations: not weights, biases, bounds, scales of a
/// Resize, statistics, slopes and states of a recurrence.
std::vector<std::size_t> activationInputs(const Engine& engine, const Node& node);

/// The axis of a weight tensor that its output channels lie on: Conv 0, ConvTranspose 1 but 0 where
/// it is depthwise (an output channel per input channel), Gemm 0 with transB else 1, MatMul the
/// last of a right-hand and the last but one of a left-hand weight, Einsum the first that no other
/// input but the result has, LSTM, GRU and RNN 1 (all gates, for all directions alike), embeddings
/// 0 (a row each). `input` is the weight's place.
int outputChannelAxis(const Node& node, std::size_t input, const Shape& weight);

/// How many output channels there are per index of that axis: the groups of a grouped ConvTranspose
/// that is not depthwise, else 1.
std::size_t outputGroups(const Node& node, const Shape& weight);

}  // namespace quantscope
