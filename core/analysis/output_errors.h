#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/analysis_result.h"
#include "analysis/tensor_errors.h"
#include "calibration/sample_source.h"
#include "graph/graph.h"

namespace quantscope {

/// Collects the error at one output of the network, sample by sample, in their order.
class OutputErrors {
 public:
  /// `labels`: class indices of the first samples; may be empty.
  OutputErrors(const Graph& graph, ValueId output, std::span<const std::int64_t> labels);

  /// Takes the float and the quantized output of one feed in; undefined ones are passed over.
  void add(const Feed& feed, const Tensor& reference, const Tensor& quantized);
  OutputResult result() const;
  /// Whether the output scores classes, enough of them for every label; known after one feed.
  bool takesLabels() const { return m_takesLabels; }

 private:
  void addScores(const Feed& feed, const Tensor& reference, const Tensor& quantized);

  std::string m_name;
  bool m_afterSoftmax;
  std::vector<std::int64_t> m_labels;
  bool m_takesLabels = false;
  ErrorSums m_sums;
  std::vector<float> m_sampleSqnrDb;
  std::size_t m_scored = 0;
  std::size_t m_agreeing = 0;
  std::size_t m_labelled = 0;
  std::size_t m_correctFloat = 0;
  std::size_t m_correctQuantized = 0;
  double m_divergence = 0;
};

}  // namespace quantscope
