#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "base/content_store.h"
#include "engine/applied_quantization.h"
#include "precision/parameters/layer_weights.h"

namespace quantscope {

struct LayerFacts;
struct QuantizedModel;

/// The parameters of a group of points; none where calibration never reached it.
struct GroupParams {
  std::optional<QuantParams> params;
};

using AnyParameters =
    std::variant<std::shared_ptr<const LayerFacts>, std::shared_ptr<const GroupParams>,
                 std::shared_ptr<const LayerWeights>, std::shared_ptr<const AppliedNode>,
                 std::shared_ptr<const QuantizedModel>>;

/// The bytes of an entry. Tensors count in the layers and nodes that hold them, not again in a
/// whole model, which shares them.
std::size_t byteSize(const AnyParameters& parameters);

/// A cache of the results of quantizing networks, by the content that each was computed from: what
/// all configurations have in common, grids of groups (range searches take long), weights of layers
/// (they are folded and rounded), what is applied to each node (its constants are hashed), and
/// whole models. A configuration that differs from earlier ones in a few nodes costs little more
/// than those. Results never depend on the cache.
using ParameterCache = ContentStore<AnyParameters>;

}  // namespace quantscope
