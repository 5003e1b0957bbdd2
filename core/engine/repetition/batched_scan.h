#pragma once

#include "engine/repetition/scan.h"

namespace quantscope {

/// Scan of version 8: every value has a batch axis in front, and each sample is scanned separately,
/// along axis 1, up to its length from input 0. Elements of collected outputs beyond that length
/// are 0.
class BatchedScan final : public Repetition {
 public:
  BatchedScan(const Graph& graph, const Node& node, std::span<const Tensor> inputs);

  bool running() const override { return m_sample < m_lengths.size(); }
  std::vector<Tensor> bodyInputs() const override { return m_scan->bodyInputs(); }
  void finish(std::span<const Tensor> bodyOutputs) override;
  std::vector<Tensor> results() const override;

 private:
  void startSample();
  void finishEndedSamples();

  ScanSettings m_settings;
  std::vector<Tensor> m_inputs;
  std::vector<std::int64_t> m_lengths;  // by sample
  std::int64_t m_longest = 0;
  std::size_t m_sample = 0;
  std::unique_ptr<Scan> m_scan;                 // of that sample
  std::vector<std::vector<Tensor>> m_finished;  // by sample, then by output
  std::vector<ValueType> m_types;               // of a sample's outputs
};

}  // namespace quantscope
