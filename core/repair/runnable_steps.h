#pragma once

#include <set>
#include <string>
#include <vector>

#include "repair/recipe.h"

namespace quantscope {

/// Which steps can run on the layers that a model has.
class RunnableSteps {
 public:
  RunnableSteps() = default;
  /// Throws UnsupportedOperation where none of the request's can run, InvalidParameters for a name
  /// that is no layer's.
  RunnableSteps(const RepairState& state, const LinearLayers& layers, const RepairRequest& request);

  /// Why a step cannot run where only the layers of these names may change; none = all may. Empty
  /// where it can.
  std::string whyNot(const RepairStep& step, const std::vector<std::string>& only) const;

 private:
  std::string m_layerless;  // why no layer's weights can be changed; empty where some can
  std::set<std::string, std::less<>> m_shared;  // layers that share their weight
};

}  // namespace quantscope
