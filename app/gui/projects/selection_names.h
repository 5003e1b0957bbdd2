#pragma once

#include <QJsonObject>

#include "graph/graph.h"
#include "widgets/view/selection.h"

namespace quantscope {

/// The selection as names that are valid in every reading of a model.
QJsonObject toJson(const Selected& selected, const Graph& graph);
/// The reverse; names that the model does not have are left out.
Selected selectedFrom(const QJsonObject& json, const Graph& graph);

}  // namespace quantscope
