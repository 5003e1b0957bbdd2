#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/analysis_result.h"
#include "calibration/observers/observations.h"
#include "detectors/findings/finding.h"
#include "detectors/judged_layers.h"
#include "detectors/model_index.h"
#include "detectors/statistics.h"
#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/resolved_config.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The input of the detectors: the frozen results of one analysis. Thresholds are those of the
/// configuration.
struct DetectorInput {
  const Engine& engine;
  const Configuration& configuration;
  const ResolvedConfig& precision;  ///< the configuration's precision of each node
  const Backend& backend;
  const Observations& observations;
  const QuantizedModel& model;
  const ModelIndex& index;       ///< of `model`
  const JudgedLayers& layers;    ///< of `model` and `mode`
  const AnalysisResult& result;  ///< its rows are those of `model.layers`, in the same order
  DetectorMode mode = DetectorMode::Quantscope;

  const Graph& graph() const { return engine.graph(); }
  const DetectorThresholds& thresholds() const { return *configuration.detectors; }
};

/// Where the harm of a detector's faults shows.
enum class DetectorHarm : std::uint8_t {
  Errors,         ///< in the error of the outputs, so that a simulation says how much it is
  BeyondFigures,  ///< in no such figure: numbers that are not finite, sums that overflow
  Time,           ///< in time, which what they suggest may buy with precision
};

/// One kind of fault. `find` is a pure function of its input: it neither runs the network nor
/// depends on threads. A layer that was not observed gives no finding.
struct Detector {
  std::string_view name;        ///< as in files: "outlier"
  std::string_view title;       ///< "Outliers"
  std::string_view definition;  ///< the faults it looks for, in one sentence
  std::string_view figure;      ///< meaning of its findings' statistic, with its unit
  std::vector<Finding> (*find)(const DetectorInput& input);
  bool ofPyTorch = false;  ///< ModelReport has it: runs in both modes, the others only in ours
  /// Adds its part of the full statistics; none where findings say it all.
  void (*measure)(const DetectorInput& input, DetectorStatistics& statistics) = nullptr;
  DetectorHarm harm = DetectorHarm::Errors;
};

/// The report of the detectors on one analysis.
struct DetectorReport {
  DetectorMode mode = DetectorMode::Quantscope;
  /// In the order of sortFindings().
  std::vector<Finding> findings;
  /// Findings that are reported only if their suggestion helps: simulateGains() adds those that do
  /// to the findings. None in PyTorch's mode.
  std::vector<Finding> unproven = {};
  /// SQNR of the worst output, in dB, that the simulated gains are added to; absent until they are
  /// known.
  std::optional<double> outputSqnrDb = {};
  DetectorStatistics statistics;
};

/// That of the finding's detector; Errors for one that is not registered.
DetectorHarm harmOf(const Finding& finding);

/// All detectors, in the order of reports.
std::span<const Detector> allDetectors();
/// Finds a detector by its name; nullptr if there is none.
const Detector* findDetector(std::string_view name);

/// Runs all detectors of the mode.
DetectorReport runDetectors(const DetectorInput& input);

}  // namespace quantscope
