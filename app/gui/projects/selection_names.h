#pragma once

#include <QJsonObject>

#include "graph/graph.h"
#include "widgets/view/selection.h"

namespace quantscope {

/// The selection as names that are valid in every reading of a model.
QJsonObject toJson(const Selected& selected, const Graph& graph);
/// The same again; what the model does not have is left out.
Selected selectedFrom(const QJsonObject& json, const Graph& graph);

}  // namespace quantscope
