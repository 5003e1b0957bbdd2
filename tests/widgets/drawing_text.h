#pragma once

#include <QString>
#include <string_view>

#include "jobs/analysis_snapshot.h"
#include "widgets/graph/drawing/graph_drawing.h"

namespace quantscope::test {

/// The structure of a model that graphFromText() reads; nothing has run.
SnapshotPtr structureFromText(std::string_view text);
/// The structure snapshot of a model file.
SnapshotPtr structureFromFile(const QString& file);

/// The nesting of a drawing, in its order: inputs and outputs as "[x]", layers by their title,
/// constants as "(w)", cards as "<title: subtitle>", frames as "title{…}".
QString outline(const GraphDrawing& drawing);

/// "Neg>Abs" for each edge, by title, in the drawing's order.
QString edgeText(const GraphDrawing& drawing);

/// The first thing that is wrong with a drawing of `layers` layers: boxes or frames over each
/// other, edges that miss their boxes or turn back, cycles, layers that stand nowhere or twice.
/// Empty where nothing is.
QString firstFault(const GraphDrawing& drawing, std::size_t layers, bool leftToRight = false);

}  // namespace quantscope::test
