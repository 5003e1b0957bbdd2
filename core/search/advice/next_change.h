#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "precision/edits/config_edit.h"

namespace quantscope {

/// What a change does to one output, on all samples.
struct OutputChange {
  std::string output;
  std::optional<double> fromDb;  ///< SQNR
  std::optional<double> toDb;
  std::optional<double> fromTop1 = {};  ///< share of samples of the float network's class
  std::optional<double> toTop1 = {};
};

/// Of results of the same outputs.
std::vector<OutputChange> outputChanges(const std::vector<OutputResult>& before,
                                        const std::vector<OutputResult>& after);

/// The one change of a configuration that improves the outputs most, measured.
struct NextChange {
  ConfigEdit edit;
  std::string node;              ///< the changed node; empty for several
  std::string output;            ///< the worst one before
  std::string outputAfter = {};  ///< the worst one then
  std::optional<double> fromDb;  ///< SQNR of the worst output, on all samples
  std::optional<double> toDb;
  std::vector<OutputChange> outputs = {};  ///< all
  double bytes = 0;                        ///< of constants, more than before
};

/// "6.2 → 37.1 dB, +424 bytes".
std::string figuresText(const NextChange& change);

/// Where no change was found: "none that helps" and the limits, those of AdviceLimits.
std::string noChangeText();

}  // namespace quantscope
