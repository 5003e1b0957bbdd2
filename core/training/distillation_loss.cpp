#include "training/distillation_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/errors/tensor_errors.h"

namespace quantscope {
namespace {

using Scores = std::span<const float>;

// Probabilities of scores over a temperature.
std::vector<double> softmax(Scores scores, double temperature) {
  const double top = *std::ranges::max_element(scores);
  std::vector<double> result;
  double sum = 0;
  for (const float score : scores) {
    result.push_back(std::exp((double{score} - top) / temperature));
    sum += result.back();
  }
  for (double& each : result) each /= sum;
  return result;
}

void add(std::span<float> to, std::size_t i, double gradient) {
  if (!to.empty()) to[i] += static_cast<float>(gradient);
}

double squaredError(const LossTerms& terms, Scores actual, Scores expected, std::span<float> to) {
  const double weight = terms.squares / terms.power;
  double sum = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = double{actual[i]} - double{expected[i]};
    sum += difference * difference;
    add(to, i, 2 * weight * difference);
  }
  return weight * sum;
}

double logOf(double probability) {
  return std::log(std::max(probability, double{std::numeric_limits<float>::min()}));
}

double divergenceOfScores(const LossTerms& terms, Scores actual, Scores expected,
                          std::span<float> to) {
  const double tau = terms.temperature;
  const std::vector<double> p = softmax(expected, tau);
  const std::vector<double> q = softmax(actual, tau);
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0) sum += p[i] * (logOf(p[i]) - logOf(q[i]));
    add(to, i, terms.divergence * tau * (q[i] - p[i]));
  }
  return terms.divergence * tau * tau * sum;
}

double crossEntropy(const LossTerms& terms, Scores actual, std::int64_t label,
                    std::span<float> to) {
  const auto wanted = static_cast<std::size_t>(label);
  if (label < 0 || wanted >= actual.size()) return 0;
  const std::vector<double> q = softmax(actual, 1);
  for (std::size_t i = 0; i < q.size(); ++i) {
    add(to, i, terms.labels * (q[i] - (i == wanted ? 1.0 : 0.0)));
  }
  return -terms.labels * logOf(q[wanted]);
}

}  // namespace

double distillationLoss(const LossTerms& terms, const Tensor& actual, const Tensor& expected,
                        const FeedExtent& extent, std::span<const std::int64_t> labels,
                        Tensor* cotangent) {
  const Tensor y = toLayout(toFloat32(expected), Layout::Plain);
  const Tensor found = toLayout(toFloat32(actual), Layout::Plain);
  double loss = 0;
  visitSamples(y, extent.batch, extent.samples,
               [&](std::size_t sample, std::size_t first, std::size_t count) {
                 if (count == 0) return;
                 const Scores a = found.values<float>().subspan(first, count);
                 const Scores e = y.values<float>().subspan(first, count);
                 const std::span<float> to =
                     cotangent == nullptr ? std::span<float>()
                                          : cotangent->mutableValues<float>().subspan(first, count);
                 if (terms.squares > 0) loss += squaredError(terms, a, e, to);
                 if (terms.divergence > 0) {
                   loss += divergenceOfScores(terms, a, e, to);
                 }
                 if (terms.labels > 0 && sample < labels.size()) {
                   loss += crossEntropy(terms, a, labels[sample], to);
                 }
               });
  return loss;
}

}  // namespace quantscope
