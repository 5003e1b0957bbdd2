#include "analysis/errors/class_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace quantscope {
namespace {

constexpr double kSmallest = std::numeric_limits<float>::min();

std::vector<double> logProbabilities(std::span<const float> scores, bool areProbabilities) {
  std::vector<double> logs(scores.size());
  if (areProbabilities) {
    std::ranges::transform(scores, logs.begin(), [](float probability) {
      return std::log(std::max<double>(probability, kSmallest));
    });
    return logs;
  }
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float score : scores) sum += std::exp(score - largest);
  const double normalizer = largest + std::log(sum);
  std::ranges::transform(scores, logs.begin(),
                         [normalizer](float score) { return score - normalizer; });
  return logs;
}

}  // namespace

std::optional<std::size_t> classCount(const Tensor& output, std::size_t batch) {
  const Shape& shape = output.shape();
  const bool batched = batch > 1 && !shape.empty() && shape[0] == static_cast<std::int64_t>(batch);
  std::optional<std::size_t> classes;
  for (std::size_t axis = batched ? 1 : 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    if (classes || shape[axis] == 0) return std::nullopt;
    classes = static_cast<std::size_t>(shape[axis]);
  }
  return classes;
}

std::size_t top1(std::span<const float> scores) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best] || std::isnan(scores[best])) best = i;
  }
  return best;
}

double klDivergence(std::span<const float> p, std::span<const float> q, bool areProbabilities) {
  const std::vector<double> logP = logProbabilities(p, areProbabilities);
  const std::vector<double> logQ = logProbabilities(q, areProbabilities);
  double divergence = 0;
  for (std::size_t i = 0; i < logP.size(); ++i) {
    divergence += std::exp(logP[i]) * (logP[i] - logQ[i]);
  }
  return std::max(divergence, 0.0);
}

}  // namespace quantscope
