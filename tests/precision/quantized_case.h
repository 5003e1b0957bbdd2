#pragma once

#include <QString>
#include <QStringList>

#include "base/workers.h"
#include "calibration/observers/observations.h"
#include "engine/engine.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope::test {

/// A graph with one input, calibrated on samples and quantized by a configuration.
struct QuantizedCase {
  QuantizedCase(const char* text, std::vector<Tensor> samples, const std::string& configJson = "");

  /// The named value of the quantized run on sample `index`.
  std::vector<float> run(const char* value, std::size_t index = 0) const;

  Workers workers{2};
  std::shared_ptr<const Graph> graph;
  Engine engine;
  std::vector<Tensor> feeds;
  Configuration config;
  Observations observations;
  QuantizedModel model;
};

/// Five digits.
QString number(double value);
/// "uint8 0.01@128": type, scales and zero points other than 0.
QString gridText(const QuantParams& params);
/// One line per layer: what is applied to it, in the order edges, constants, output; "float" where
/// nothing is.
QStringList describe(const QuantizedCase& testCase);

}  // namespace quantscope::test
