#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "detectors/detector.h"

namespace quantscope {

/// The proven way from a float network to a verified export, step by step.
enum class ProcedureStage : std::uint8_t {
  Float,     ///< does the float network work, on real inputs?
  Parts,     ///< weights alone, activations alone
  Layers,    ///< which layers
  Causes,    ///< why
  Fixes,     ///< the remedies that were applied
  Measured,  ///< the gain of the remedies
  Exported,  ///< and does the export agree?
};

struct ProcedureStep {
  ProcedureStage stage = ProcedureStage::Float;
  std::string title;     ///< "Does float work?"
  std::string sentence;  ///< where this network stands; names from the model as they are
  bool done = false;
};

/// The work on a network besides measuring it, as far as it is known.
struct WorkDone {
  std::vector<std::string> edits = {};  ///< of the configuration, in order: "set conv1 to FP16"
  std::optional<double> startDb = {};   ///< SQNR of the worst output before the first of them
  double startBytes = 0;                ///< of all constants, likewise; 0 = not known
  std::optional<std::string> proposal =
      {};                     ///< most helpful change: "set conv1 to FP16: 6.2 → 37.1 dB"
  bool nothingHelps = false;  ///< it was looked for
  /// What was recommended together, and written as another configuration: "2 changes: 6.2 → 37.1
  /// dB: Set conv1 to FP16; Set conv2 to FP16".
  std::optional<std::string> accepted = {};
  std::optional<std::string> exported = {};  ///< how the last export of this configuration agrees
};

/// All steps, in order, with the figures of `result`. `detectors` may be null while nothing was
/// looked for. The ladder is given apart, since it is measured later than the rest.
std::vector<ProcedureStep> procedureOf(const AnalysisResult& result,
                                       const DetectorReport* detectors,
                                       const std::vector<LadderStep>& ladder, const WorkDone& work);

}  // namespace quantscope
