#pragma once

#include <QString>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/workers.h"
#include "calibration/calibrate.h"
#include "engine/engine.h"
#include "export/formats/format.h"
#include "precision/config/configuration.h"

namespace quantscope::test {

/// A name that wants to break out of every format.
extern const char* const kEvil;

/// Two convolutions as PyTorch names them, calibrated and quantized, for the formats of other
/// tools.
struct FormatCase {
  explicit FormatCase(const std::string& configJson = "", const std::string& valueName = "",
                      const std::string& nodeName = "",
                      const std::optional<std::string>& fileName = {});

  FormatInput input() const { return {*engine, config, model}; }
  FormatOutput write(const char* format) const;
  nlohmann::json json(const char* format) const {
    return nlohmann::json::parse(write(format).text);
  }
  const LayerQuantization& layer(std::size_t index) const { return model.layers[index]; }

  Workers workers{1};
  std::shared_ptr<const Graph> graph;
  std::optional<Engine> engine;
  Configuration config;
  Observations observations;
  QuantizedModel model;
};

/// What a Python program prints that finds the script as `script.py`, or "failed: " and why.
/// `stub`: what stands for onnxruntime.quantization.
QString runPython(const std::string& script, const char* program, const char* stub = "");

}  // namespace quantscope::test
