#pragma once

#include <string>
#include <vector>

#include "calibration/sample_source.h"
#include "graph/graph.h"

namespace quantscope::test {

/// Samples from memory, for a graph with one float input: one tensor per sample.
class MemorySource : public SampleSource {
 public:
  MemorySource(ValueId input, std::vector<Tensor> samples)
      : m_input(input), m_samples(std::move(samples)) {}

  std::string description() const override { return "memory"; }
  std::size_t sampleCount() const override { return m_samples.size(); }
  std::size_t feedCount() const override { return m_samples.size(); }
  Feed read(std::size_t index) override {
    return {{{m_input, m_samples.at(index)}}, index, 1, 1, {}};
  }

 private:
  ValueId m_input;
  std::vector<Tensor> m_samples;
};

}  // namespace quantscope::test
