#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_result.h"
#include "analysis/cost/model_cost.h"

namespace quantscope {

/// A piece of a figure: "24.5", or what stands beside it in small letters: " dB".
struct FigurePart {
  std::string text;
  bool small = false;
};

/// One of the figures at the head of every report.
struct HeadlineFigure {
  const char* title;
  std::vector<FigurePart> parts;
  std::string note;              ///< subject of the figure; may be empty
  std::string definition;        ///< in a sentence
  std::optional<double> sqnrDb;  ///< gives the figure its colour

  /// "24.5 dB"
  std::string text() const;
};

/// SQNR of the worst output, agreement, accuracy, size, bits, types, multiply-accumulates, layers
/// and samples, as far as known. Notes hold names from the model. `original`: the file of the float
/// model that outputs are compared with; empty = the model itself.
std::vector<HeadlineFigure> headlineFigures(const AnalysisResult& result, const ModelCost& cost,
                                            const std::string& original = {});

}  // namespace quantscope
