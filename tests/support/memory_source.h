#pragma once

#include <random>
#include <string>
#include <vector>

#include "calibration/sample_source.h"
#include "graph/graph.h"

namespace quantscope::test {

/// Tensors of normally distributed numbers; equal for equal seeds.
inline std::vector<Tensor> randomSamples(const Shape& shape, std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<Tensor> samples;
  for (std::size_t i = 0; i < count; ++i) {
    Tensor sample(ElementType::Float32, shape);
    for (float& value : sample.mutableValues<float>()) value = normal(generator);
    samples.push_back(sample);
  }
  return samples;
}

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
