#include "analysis/output_errors.h"

#include <algorithm>
#include <limits>

#include "analysis/class_scores.h"
#include "graph/operator_traits.h"

namespace quantscope {

OutputErrors::OutputErrors(const Graph& graph, ValueId output, std::span<const std::int64_t> labels)
    : m_name(graph[output].name), m_labels(labels.begin(), labels.end()) {
  const NodeId producer = graph[output].producer;
  m_afterSoftmax = producer.valid() && operatorTraits(graph[producer]).givesProbabilities;
}

void OutputErrors::add(const Feed& feed, const Tensor& reference, const Tensor& quantized) {
  if (!reference.defined() || !quantized.defined() || !isFloat(reference.type()) ||
      reference.shape() != quantized.shape()) {
    return;
  }
  std::vector<ChannelSums> samples(feed.samples);
  addErrors(reference, quantized, {}, feed.batch, samples);
  for (const ChannelSums& sample : samples) {
    const ErrorSums sums = total(sample);
    m_sums.add(sums);
    m_sampleSqnrDb.push_back(
        static_cast<float>(sqnrDb(sums).value_or(std::numeric_limits<double>::quiet_NaN())));
  }
  if (const std::optional<std::size_t> classes = classCount(reference, feed.batch)) {
    m_takesLabels = !m_labels.empty() && std::ranges::all_of(m_labels, [&](std::int64_t label) {
      return static_cast<std::size_t>(label) < *classes;
    });
    addScores(feed, toFloat32(reference), toFloat32(quantized));
  }
}

void OutputErrors::addScores(const Feed& feed, const Tensor& reference, const Tensor& quantized) {
  visitSamples(reference, feed.batch, feed.samples,
               [&](std::size_t sample, std::size_t first, std::size_t count) {
                 const auto expected = reference.values<float>().subspan(first, count);
                 const auto actual = quantized.values<float>().subspan(first, count);
                 const std::size_t expectedClass = top1(expected);
                 const std::size_t actualClass = top1(actual);
                 ++m_scored;
                 m_agreeing += expectedClass == actualClass;
                 m_divergence += klDivergence(expected, actual, m_afterSoftmax);
                 const std::size_t index = feed.firstSample + sample;
                 if (!m_takesLabels || index >= m_labels.size()) return;
                 const auto label = static_cast<std::size_t>(m_labels[index]);
                 ++m_labelled;
                 m_correctFloat += expectedClass == label;
                 m_correctQuantized += actualClass == label;
               });
}

OutputResult OutputErrors::result() const {
  OutputResult result;
  result.value = m_name;
  result.error = metricsOf(m_sums);
  result.sampleSqnrDb = m_sampleSqnrDb;
  if (m_scored > 0) {
    const auto scored = static_cast<double>(m_scored);
    result.kl = m_divergence / scored;
    result.top1Agreement = static_cast<double>(m_agreeing) / scored;
  }
  if (m_labelled > 0) {
    const auto labelled = static_cast<double>(m_labelled);
    result.accuracyFloat = static_cast<double>(m_correctFloat) / labelled;
    result.accuracyQuantized = static_cast<double>(m_correctQuantized) / labelled;
  }
  return result;
}

}  // namespace quantscope
