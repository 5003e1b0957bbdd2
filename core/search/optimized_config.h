#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cost/cost_table.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// Why a node has the precision that a search gave it.
struct ChoiceReason {
  std::string node;
  bool measured = false;  ///< else by its profile
  std::string scheme;     ///< of a profile: int8, int16, dynamic, fp32; measured: a type
  std::optional<double> accuracyLoss = {};  ///< share, 0 … 1
  std::optional<double> speedup = {};       ///< multiple of float32's speed
  std::optional<double> confidence = {};    ///< 0 … 1
  std::string text;
  std::vector<std::string> followers = {};  ///< nodes that are fused with it and share its scheme
};

/// A configuration that no other one beats in every respect.
struct ParetoPoint {
  double bits = 0;                ///< mean over all weights
  double bytes = 0;               ///< of all constants
  std::optional<double> speedup;  ///< multiple of float32's speed; by the cost table, if any
  std::optional<double> microseconds = {};  ///< for one sample; likewise
  std::optional<double> drop;    ///< share of accuracy, or of top-1 agreement, that is lost
  std::optional<double> sqnrDb;  ///< of the worst output
};

/// What the points of a front cost; the other figure is the SQNR of the worst output.
enum class FrontCost : std::uint8_t { Bytes, Time };

/// Bytes, or microseconds.
inline double costOfPoint(const ParetoPoint& point, FrontCost cost) {
  return cost == FrontCost::Time ? point.microseconds.value_or(0) : point.bytes;
}

/// One of the configurations that a search has measured, and why layers are what they are in it.
struct FrontPoint {
  ParetoPoint point;
  Configuration config;
  std::vector<ChoiceReason> why;
  /// Than the start, on the samples that the search chooses by, or on those held out.
  bool worseOnPart = false;
  bool chosen = false;  ///< reaches the search's goal best
};

/// The result of a search.
struct OptimizedConfig {
  Configuration config;
  std::vector<ChoiceReason> why;
  ParetoPoint start = {};   ///< measured; only where `pareto` is not empty
  ParetoPoint chosen = {};  ///< likewise
  /// Ascending by the goal's FrontCost; with `chosen`. Empty for a choice by profiles.
  std::vector<FrontPoint> pareto;
  /// The largest gap, 0 … 1, that an integer program was left with; see SolvedProgram. Absent for a
  /// choice by profiles.
  std::optional<double> gap = {};
  bool synthetic = false;  ///< measured or calibrated on synthetic samples
  bool complete = true;    ///< false: the search was stopped, this is the best that it had measured
  /// What the configuration at the start asks for in vain, and what the samples are too few for.
  std::vector<std::string> notices = {};
  /// The source of the times; null if none is used.
  std::shared_ptr<const CostTable> costs = {};
};

}  // namespace quantscope
