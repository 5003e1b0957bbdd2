#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "calibration/open_samples.h"
#include "calibration/sources/model_input.h"

namespace quantscope {

/// How data fits one input of a model.
struct InputCheck {
  enum class State : std::uint8_t {
    Fits,
    Fails,    ///< `error` says why
    Unknown,  ///< the data was not read that far
  };
  ModelInput input;
  State state = State::Unknown;
  /// "float32 [24, 3, 224, 224]", or for data that is no array the feeds, "24 × float32 [1, 3, 224,
  /// 224]"; empty where it cannot be told.
  std::string held;
  std::optional<Error> error;
};

/// The check of data before a model runs on it.
struct DataCheck {
  SourceKind kind = SourceKind::Unknown;
  std::vector<InputCheck> inputs;         ///< one per input of the model
  std::unique_ptr<SampleSource> samples;  ///< null where they cannot be used
  std::size_t batch = 1;                  ///< samples per feed
  std::optional<Error> error;             ///< why not: the first reason

  bool fits() const { return samples != nullptr; }
};

/// A function like openSamples().
using SampleOpener = std::function<std::unique_ptr<SampleSource>(
    const std::string& data, const Graph& graph, const SourceOptions& options)>;

/// Opens data for a model and reads the first feed, so that names, shapes, types and the first
/// elements are known to fit. Throws no Error: errors are in the result.
DataCheck checkData(const std::string& data, const Graph& graph, const SourceOptions& options,
                    const SampleOpener& open = openSamples);

}  // namespace quantscope
