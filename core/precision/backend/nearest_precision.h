#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "precision/backend/backend.h"
#include "precision/config/precision_config.h"

namespace quantscope {

/// The tensors of a layer that a precision applies to.
struct LayerTensors {
  bool weights = false;
  bool activations = false;
  bool outputs = true;
};

/// The precision nearest to one that was asked for, and how far it is from it.
struct NearestPrecision {
  NodePrecision precision;
  int distance = 0;                  ///< 0 = as asked
  std::vector<std::string> reasons;  ///< "weights of int8", "static activations"
};

/// The precision that `way` can run instead of a given one. An axis is taken as that of the output
/// channels where it is `channelAxis`.
NearestPrecision nearestPrecision(const OperatorWay& way, const NodePrecision& asked,
                                  const LayerTensors& tensors, int channelAxis);

/// The nearest of all ways in which the backend runs an operator, or of those that suit; nullopt
/// where there is none.
std::optional<NearestPrecision> nearestPrecision(
    const Backend& backend, std::string_view op, const NodePrecision& asked,
    const LayerTensors& tensors, int channelAxis,
    const std::function<bool(const OperatorWay&)>& suits = {});

}  // namespace quantscope
