#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "precision/backend/bias_rule.h"
#include "quant/granularity.h"
#include "quant/quant_params.h"

namespace quantscope {

/// Scales that a tensor may have.
struct GranularityChoice {
  Granularity::Kind kind = Granularity::Kind::PerTensor;
  bool anyAxis = false;  ///< PerChannel: along any axis, not only that of the output channels
  int groupSize = 0;     ///< PerGroup: of this size only; 0 = of any size

  friend bool operator==(const GranularityChoice&, const GranularityChoice&) = default;
};

/// The types and scales that a machine supports for one tensor of an operator.
struct TensorAbility {
  std::vector<QuantType> types;  ///< the first one is its default
  std::vector<GranularityChoice> granularities{{}};
  bool symmetric = true;
  bool asymmetric = true;
};

/// One way to run some operators. A tensor that is not described is not quantized: that of an
/// operator without weights, or the activations of one that reads indices.
struct OperatorWay {
  std::vector<std::string> operators;
  bool dynamic = false;  ///< ranges of activations are taken while it runs
  std::optional<TensorAbility> weight;
  std::optional<TensorAbility> activation;
  std::optional<TensorAbility> output;
};

/// Operators whose output has one grid, whatever calibration observed.
struct FixedOutput {
  std::vector<std::string> operators;
  QuantType type = QuantType::UInt8;
  Grid grid;
};

/// A chain of operators that a backend runs as one: nothing inside it is quantized.
struct PatternRule {
  std::vector<std::string> leads;                   ///< takes the precision, names the row
  std::vector<std::vector<std::string>> followers;  ///< each stage: operators that may come next;
                                                    ///< a stage without a match is passed over
};

/// The capabilities of the machine that runs the quantized network. The data are in
/// resources/core/backends.
struct Backend {
  std::string name;
  std::string about;  ///< which machines, and where the facts come from
  std::vector<OperatorWay> ways;
  std::vector<std::string> sharing;        ///< operators with inputs and output on one grid
  std::vector<std::string> sharingInputs;  ///< operators with their inputs on one grid
  std::vector<FixedOutput> fixed;
  std::vector<PatternRule> patterns;
  /// Names of operators that stay float where they are written as primitive ones
  /// (precision/layers/float_regions.h).
  std::vector<std::string> floatRegions;
  std::array<bool, 2> reduceRange{};  ///< by Convention: one bit of activations is left unused
  BiasRule bias = BiasRule::Int32;
  int accumulatorBits = 32;  ///< of sums of products

  /// True where there is a way to run it: with `dynamic` activations or without.
  bool quantizes(std::string_view op, bool dynamic) const;
  /// True where there is any way.
  bool knows(std::string_view op) const;
  bool shares(std::string_view op) const;
  bool sharesInputs(std::string_view op) const;
  bool reducesRange(Convention convention) const {
    return reduceRange[static_cast<std::size_t>(convention)];
  }
  const PatternRule* patternOf(std::string_view lead) const;
};

/// Names of the backends that come with the program.
const std::vector<std::string>& backendNames();
/// True for the path of a file of one's own: no shipped backend has the name, and it has a dot or a
/// separator of folders.
bool isBackendFile(std::string_view nameOrFile);

/// A backend by its name, or from a file of one's own.
/// Throws InvalidConfiguration for a name that is neither, listing those that are, and for mistakes
/// in a file, with their place.
std::shared_ptr<const Backend> findBackend(const std::string& nameOrFile);

/// A backend's file is not longer than this.
constexpr std::uint64_t kMostBackendBytes = std::uint64_t{1} << 24;

/// Parses a backend's file. Strict: unknown keys, types and names are Error(InvalidConfiguration)
/// with their path. `source` names the text in messages.
Backend parseBackend(std::string_view json, const std::string& source);

}  // namespace quantscope
