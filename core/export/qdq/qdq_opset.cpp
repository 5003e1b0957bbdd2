#include "export/qdq/qdq_opset.h"

#include <algorithm>

#include "base/error.h"
#include "export/qdq/code_type.h"
#include "onnx/operator_versions.h"

namespace quantscope {
namespace {

constexpr int kLeast = 13;  // scales per channel

/// Over all parameters in use: the largest of what `need` says.
template <class Need>
int largestNeed(const QuantizedModel& model, const Need& need) {
  int opset = kLeast;
  for (const LayerQuantization& layer : model.layers) {
    for (const WeightParams& weight : layer.weights) opset = std::max(opset, need(weight.params));
  }
  for (const std::optional<QuantParams>& params : model.groupParams) {
    if (params) opset = std::max(opset, need(*params));
  }
  return opset;
}

}  // namespace

int chooseQdqOpset(const Graph& graph, const QuantizedModel& model, std::optional<int> asked) {
  int own = 1;
  for (const auto& [domain, version] : graph.opsets) {
    if (domain.empty()) own = version;
  }
  if (!asked) return std::max(own, largestNeed(model, neededOpset));
  const std::string opset = std::to_string(*asked);
  if (*asked > kNewestKnownOpset) {
    throw Error(ErrorCode::InvalidParameters, "opset " + opset + " is not known", {},
                "ask for " + std::to_string(kNewestKnownOpset) + " or below");
  }
  if (*asked < own) {
    throw Error(ErrorCode::InvalidParameters,
                "the model has opset " + std::to_string(own) + " and cannot go back to " + opset,
                {}, "ask for " + std::to_string(own) + " or above");
  }
  const int least = largestNeed(model, [](const QuantParams& params) {
    // Blocks of weights can be stored as floats.
    return params.groupSize > 0 ? kLeast : lowestOpset(params);
  });
  if (*asked < least) {
    throw Error(ErrorCode::InvalidParameters,
                "opset " + opset + " cannot hold the configuration's types", {},
                "ask for " + std::to_string(least) + " or above");
  }
  return *asked;
}

}  // namespace quantscope
