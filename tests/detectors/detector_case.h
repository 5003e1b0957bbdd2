#pragma once

#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "base/workers.h"
#include "detectors/detector.h"

namespace quantscope::test {

/// Weights with one scale per tensor, all else as the default backend has it.
inline constexpr const char* kPerTensor =
    R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})";

/// A small graph with one float input, calibrated on samples and quantized by a configuration, as
/// detectors see it.
struct DetectorCase {
  /// `text` as for graphFromText(). Calibrated on `calibration` where there is some, else on the
  /// samples that are analysed.
  DetectorCase(const char* text, const std::vector<Tensor>& samples, const std::string& config = "",
               DetectorMode mode = DetectorMode::Quantscope, std::size_t batch = 1, int threads = 2,
               const std::vector<Tensor>& calibration = {});

  /// What all detectors say, with what the suggestions gain on the samples.
  DetectorReport report() const;
  /// The findings of one detector.
  std::vector<Finding> findings(const std::string& detector) const;
  /// The same before gains are known, which severity follows.
  std::vector<Finding> detected(const std::string& detector) const;

  Workers workers;
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Engine> engine;
  Configuration config;
  Observations observations;
  QuantizedModel model;
  AnalysisResult result;
  DetectorMode mode;
  std::vector<Tensor> data;  ///< that is analysed
};

/// A tensor whose element i is value(i).
template <class Value>
Tensor filled(const Shape& shape, Value&& value) {
  Tensor tensor(ElementType::Float32, shape);
  std::size_t i = 0;
  for (float& element : tensor.mutableValues<float>()) element = static_cast<float>(value(i++));
  return tensor;
}

/// The entry of a node among statistics; throws std::out_of_range where there is none.
template <class Of>
const Of& of(const std::vector<std::pair<std::string, Of>>& statistics, const std::string& node) {
  for (const auto& [name, entry] : statistics) {
    if (name == node) return entry;
  }
  throw std::out_of_range("no statistics of " + node);
}

}  // namespace quantscope::test
