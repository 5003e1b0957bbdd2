#pragma once

#include <vector>

#include "export/qdq/export_windows.h"
#include "export/qdq/qdq_model.h"

namespace quantscope::test {

/// All windows of a written model beside each other in one model, each with copies of its nodes.
struct WindowModel {
  ModelDraft draft;
  /// By input of the model: the value of the original graph to feed.
  std::vector<ValueId> inputs;
  /// By output: the window and the original value.
  std::vector<std::pair<std::size_t, ValueId>> outputs;
};

WindowModel windowModel(const QdqModel& model, const Graph& original,
                        const std::vector<ExportWindow>& windows);

}  // namespace quantscope::test
