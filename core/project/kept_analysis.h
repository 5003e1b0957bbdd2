#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "calibration/observers/observations.h"
#include "detectors/detector.h"
#include "project/document.h"

namespace quantscope {

/// The subject of an analysis.
struct AnalysisSubject {
  Configuration config;
  DocumentFiles files;
  AnalysisSettings settings;
  /// The other inputs that decide the bits of its figures: see computationOrigin().
  std::string origin;

  friend bool operator==(const AnalysisSubject&, const AnalysisSubject&) = default;
};

/// Which of the analyses that a project keeps.
enum class AnalysisSlot : std::uint8_t {
  Shown,     ///< A: the last one
  Before,    ///< what A came from: the last one of another configuration
  Compared,  ///< B, where a configuration with a name is compared with
};
inline constexpr std::array kAnalysisSlots{AnalysisSlot::Shown, AnalysisSlot::Before,
                                           AnalysisSlot::Compared};

/// An analysis as a project keeps it.
struct KeptAnalysis {
  AnalysisSubject subject;
  std::shared_ptr<const AnalysisResult> result;
  std::shared_ptr<const DetectorReport> report;
  std::shared_ptr<const Observations> observations;
};

/// The figures of an analysis that can be told without its model.
struct AnalysisOutline {
  struct Output {
    std::string value;
    std::optional<double> sqnrDb;  ///< +∞ where exact
    std::optional<double> top1Agreement;
    std::optional<double> accuracyFloat;
    std::optional<double> accuracyQuantized;
  };

  AnalysisSubject subject;
  std::string model;
  std::size_t samples = 0;
  bool synthetic = false;
  std::size_t layers = 0;
  std::size_t findings = 0;
  std::vector<Output> outputs;
};

AnalysisOutline outlineOf(const KeptAnalysis& analysis);

/// The outline as bytes; every number bit for bit. Reading throws Error(InvalidData or
/// InvalidConfiguration) that names `source`.
std::string outlineToBytes(const AnalysisOutline& outline);
AnalysisOutline outlineFromBytes(const std::string& bytes, const std::string& source);

}  // namespace quantscope
