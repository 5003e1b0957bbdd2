#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// The number of classes where one sample of the tensor is a vector of class scores: exactly one
/// axis longer than 1, the batch axis (extent `batch` > 1) not counted.
std::optional<std::size_t> classCount(const Tensor& output, std::size_t batch);

/// Index of the largest score; the first of equals. A NaN never wins.
std::size_t top1(std::span<const float> scores);

/// Kullback–Leibler divergence D(p ‖ q) in nats, summed in double. Scores become probabilities by
/// softmax unless they are that already; a probability of 0 in q counts as the smallest normal
/// float, so that the result stays finite.
double klDivergence(std::span<const float> p, std::span<const float> q, bool areProbabilities);

}  // namespace quantscope
