#include "analysis/errors/output_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/errors/class_scores.h"

namespace quantscope {

namespace {

void addScores(const Tensor& reference, const Tensor& quantized, std::size_t batch,
               std::size_t samples, bool afterSoftmax, OutputRecord& record) {
  visitSamples(reference, batch, samples,
               [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                 const auto expected = reference.values<float>().subspan(first, count);
                 const auto actual = quantized.values<float>().subspan(first, count);
                 record.scores.push_back(
                     {top1(expected), top1(actual), klDivergence(expected, actual, afterSoftmax)});
               });
}

// A value that only quantization has made infinite or NaN is infinitely wrong. Left out like those
// that the float network computes so, it would make what spoils an output look exact.
void addSpoilt(const Tensor& reference, const Tensor& quantized, std::size_t batch,
               OutputRecord& record) {
  visitSamples(reference, batch, record.samples.size(),
               [&](std::size_t sample, std::size_t first, std::size_t count) {
                 ErrorSums& sums = record.samples[sample];
                 const auto expected = reference.values<float>().subspan(first, count);
                 const auto actual = quantized.values<float>().subspan(first, count);
                 for (std::size_t i = 0; sums.nonFinite > 0 && i < count; ++i) {
                   if (!std::isfinite(expected[i]) || std::isfinite(actual[i])) continue;
                   --sums.nonFinite;
                   ++sums.count;
                   sums.referenceSquared += static_cast<double>(expected[i]) * expected[i];
                   sums.squaredError = INFINITY;
                   sums.absoluteError = INFINITY;
                   sums.maxAbsoluteError = INFINITY;
                 }
               });
}

// What quantization gives another shape has no elements to compare, and is infinitely wrong as
// well.
OutputRecord reshapedRecord(std::size_t samples) {
  ErrorSums wrong;
  wrong.count = 1;
  wrong.referenceSquared = std::numeric_limits<double>::min();
  wrong.squaredError = INFINITY;
  wrong.absoluteError = INFINITY;
  wrong.maxAbsoluteError = INFINITY;
  OutputRecord record;
  record.samples.assign(samples, wrong);
  return record;
}

}  // namespace

OutputRecord measureOutput(const Tensor& reference, const Tensor& quantized, std::size_t batch,
                           std::size_t samples, bool afterSoftmax) {
  OutputRecord record;
  if (!reference.defined() || !quantized.defined() || !isFloat(reference.type())) return record;
  if (reference.shape() != quantized.shape()) return reshapedRecord(samples);
  std::vector<ChannelSums> sums(samples);
  addErrors(reference, quantized, {}, batch, sums);
  for (const ChannelSums& sample : sums) record.samples.push_back(total(sample));
  const bool finite = std::ranges::all_of(
      record.samples, [](const ErrorSums& sample) { return sample.nonFinite == 0; });
  if (!finite) addSpoilt(toFloat32(reference), toFloat32(quantized), batch, record);
  record.classes = classCount(reference, batch);
  if (record.classes) {
    addScores(toFloat32(reference), toFloat32(quantized), batch, samples, afterSoftmax, record);
  }
  return record;
}

OutputErrors::OutputErrors(const Graph& graph, ValueId output, std::span<const std::int64_t> labels)
    : m_name(graph[output].name), m_labels(labels.begin(), labels.end()) {}

void OutputErrors::add(const OutputRecord& record, std::size_t firstSample) {
  for (const ErrorSums& sums : record.samples) {
    m_sums.add(sums);
    m_sampleSqnrDb.push_back(
        static_cast<float>(sqnrDb(sums).value_or(std::numeric_limits<double>::quiet_NaN())));
  }
  if (!record.classes) {
    m_anyUnscored = m_anyUnscored || !record.samples.empty();
    return;
  }
  m_classes = record.classes;
  m_takesLabels = !m_labels.empty() && std::ranges::all_of(m_labels, [&](std::int64_t label) {
    return static_cast<std::size_t>(label) < *record.classes;
  });
  addScores(record, firstSample);
}

void OutputErrors::addScores(const OutputRecord& record, std::size_t firstSample) {
  for (std::size_t sample = 0; sample < record.scores.size(); ++sample) {
    const OutputRecord::Scores& scores = record.scores[sample];
    ++m_scored;
    m_floatClasses.push_back(static_cast<std::int32_t>(scores.expectedClass));
    m_quantizedClasses.push_back(static_cast<std::int32_t>(scores.actualClass));
    m_agreeing += scores.expectedClass == scores.actualClass;
    m_divergence += scores.divergence;
    const std::size_t index = firstSample + sample;
    if (!m_takesLabels || index >= m_labels.size()) continue;
    const auto label = static_cast<std::size_t>(m_labels[index]);
    ++m_labelled;
    m_correctFloat += scores.expectedClass == label;
    m_correctQuantized += scores.actualClass == label;
  }
}

OutputResult OutputErrors::result() const {
  OutputResult result;
  result.value = m_name;
  result.error = metricsOf(m_sums);
  result.sampleSqnrDb = m_sampleSqnrDb;
  if (m_anyUnscored) return result;
  result.floatClasses = m_floatClasses;
  result.quantizedClasses = m_quantizedClasses;
  if (m_scored > 0) {
    const auto scored = static_cast<double>(m_scored);
    result.kl = m_divergence / scored;
    result.top1Agreement = static_cast<double>(m_agreeing) / scored;
  }
  if (m_labelled > 0) {
    const auto labelled = static_cast<double>(m_labelled);
    result.accuracyFloat = static_cast<double>(m_correctFloat) / labelled;
    result.accuracyQuantized = static_cast<double>(m_correctQuantized) / labelled;
    result.labelled = m_labelled;
  }
  return result;
}

}  // namespace quantscope
