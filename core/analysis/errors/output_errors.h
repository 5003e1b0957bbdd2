#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "analysis/errors/error_records.h"
#include "graph/graph.h"

namespace quantscope {

/// The first `samples` of `batch` samples of an output; `afterSoftmax`: class scores, if any, are
/// probabilities. Nothing is compared where one is undefined, or the reference holds no floats.
/// A value that is finite in float and not finite quantized has an infinite error: an SQNR of −∞.
/// So have all samples of an output with another shape than the reference, as where quantization
/// changes how many elements a NonZero or a NonMaxSuppression finds.
OutputRecord measureOutput(const Tensor& reference, const Tensor& quantized, std::size_t batch,
                           std::size_t samples, bool afterSoftmax);

/// Collects the error at one output of the network, sample by sample, in their order.
class OutputErrors {
 public:
  /// `labels`: class indices of the first samples; may be empty.
  OutputErrors(const Graph& graph, ValueId output, std::span<const std::int64_t> labels);

  /// Adds the record of one feed, whose first sample has that number.
  void add(const OutputRecord& record, std::size_t firstSample);
  /// Class scores count where every compared sample has some: an output of changing shape has none.
  OutputResult result() const;
  /// True if the output scores classes, enough of them for every label; known after one feed.
  bool takesLabels() const { return m_takesLabels; }
  /// Of the scores; none where it has none, or no feed was added.
  std::optional<std::size_t> classes() const { return m_classes; }
  const std::string& name() const { return m_name; }

 private:
  void addScores(const OutputRecord& record, std::size_t firstSample);

  std::string m_name;
  std::vector<std::int64_t> m_labels;
  bool m_takesLabels = false;
  bool m_anyUnscored = false;  // samples that were compared and score no classes
  std::optional<std::size_t> m_classes;
  ErrorSums m_sums;
  std::vector<float> m_sampleSqnrDb;
  std::vector<std::int32_t> m_floatClasses;
  std::vector<std::int32_t> m_quantizedClasses;
  std::size_t m_scored = 0;
  std::size_t m_agreeing = 0;
  std::size_t m_labelled = 0;
  std::size_t m_correctFloat = 0;
  std::size_t m_correctQuantized = 0;
  double m_divergence = 0;
};

}  // namespace quantscope
