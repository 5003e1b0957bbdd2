#pragma once

#include <QString>

#include "jobs/analysis_snapshot.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/view/display_options.h"
#include "widgets/words/layer_findings.h"

namespace quantscope {

/// The tool tip of a box: its full name, operators, types, both errors under the chosen metric, and
/// the number of findings. Rich text.
QString boxWords(const DrawnBox& box, const AnalysisSnapshot& snapshot,
                 const DisplayOptions& options, const FindingSum& findings);

/// Over an edge between two of `boxes`: for each value its name, shape, type and observed range,
/// and on which grid the reader takes it. Rich text.
QString edgeWords(const DrawnEdge& edge, const std::vector<DrawnBox>& boxes,
                  const AnalysisSnapshot& snapshot);

/// One line for a screen reader: "Conv conv1, SQNR 31.2 dB, findings: 3, worst: Warning".
QString spokenWords(const DrawnBox& box, const AnalysisSnapshot& snapshot,
                    const DisplayOptions& options, const FindingSum& findings);

}  // namespace quantscope
