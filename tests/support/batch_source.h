#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "calibration/sample_source.h"
#include "support/memory_source.h"

namespace quantscope::test {

/// Normally distributed samples of [batch, …], a full batch per feed: the last one is padded with
/// its last sample.
class BatchSource : public SampleSource {
 public:
  /// `shape`: of a batch.
  BatchSource(ValueId input, const Shape& shape, std::size_t samples)
      : m_input(input), m_batch(static_cast<std::size_t>(shape[0])), m_samples(samples) {
    m_feeds = randomSamples(shape, (samples + m_batch - 1) / m_batch, 11);
    const std::size_t last = samples - (m_feeds.size() - 1) * m_batch;
    const std::span<float> values = m_feeds.back().mutableValues<float>();
    const std::size_t length = values.size() / m_batch;
    for (std::size_t i = last * length; i < values.size(); ++i) values[i] = values[i - length];
  }

  std::string description() const override { return "batches"; }
  std::size_t sampleCount() const override { return m_samples; }
  std::size_t feedCount() const override { return m_feeds.size(); }
  Feed read(std::size_t index) override {
    const std::size_t first = index * m_batch;
    return {
        {{m_input, m_feeds.at(index)}}, first, std::min(m_batch, m_samples - first), m_batch, {}};
  }

 private:
  ValueId m_input;
  std::size_t m_batch;
  std::size_t m_samples;
  std::vector<Tensor> m_feeds;
};

}  // namespace quantscope::test
