#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/gradients/reverse_pass.h"
#include "support/feeds.h"

namespace quantscope::test {

/// How the elements of a network's inputs are made up; always the same ones.
enum class Numbers {
  Signed,    ///< 0.1 … 1.5, either sign: no element near 0
  Positive,  ///< 0.3 … 1.7
  Distinct,  ///< multiples of 0.1, in random order, none twice in one tensor
  Unit,      ///< 0.1 … 0.9
};

/// Tensors for all float32 and float64 inputs of the graph.
Feeds makeFeeds(const Graph& graph, Numbers numbers, unsigned seed);

/// Cotangents of all inputs, by input: from `cotangents`, one per output, for one probe.
std::vector<Tensor> cotangentsOfInputs(const Engine& engine, const Feeds& feeds,
                                       const std::vector<Tensor>& cotangents,
                                       std::size_t budget = 0);

/// Likewise of any values.
std::vector<Tensor> cotangentsOf(const Engine& engine, const Feeds& feeds,
                                 const std::vector<ValueId>& values,
                                 const std::vector<Tensor>& cotangents, std::size_t budget = 0);

/// All outputs of the network.
std::vector<Tensor> outputsOf(const Engine& engine, const Feeds& feeds);

/// Tensors of the shapes and types of `like` with elements in (−1, 1).
std::vector<Tensor> randomLike(const std::vector<Tensor>& like, unsigned seed);

/// Σ a·b over all elements of all tensors, in double; undefined counts as 0.
double dot(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

/// ⟨dy, J·v⟩ by differences: the derivative at 0 of ⟨dy, f(x + h·v)⟩, of the order h⁶.
double directionalDerivative(const Engine& engine, const Feeds& feeds,
                             const std::vector<Tensor>& direction,
                             const std::vector<Tensor>& cotangents, double step);

/// ‖a − b‖ / ‖b‖ over all elements; undefined counts as 0.
double relativeError(const std::vector<Tensor>& a, const std::vector<Tensor>& b);

}  // namespace quantscope::test
