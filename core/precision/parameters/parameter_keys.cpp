#include "precision/parameters/parameter_keys.h"

#include <cstdint>
#include <span>

#include "precision/config/precision_bytes.h"
#include "precision/parameters/group_params.h"
#include "quant/quant_params_id.h"

namespace quantscope {
namespace {

void add(ContentHasher& hasher, const Encoding& encoding) {
  hasher.add(static_cast<std::uint64_t>(encoding.type));
  hasher.add(std::as_bytes(std::span(encoding.scales)));
  hasher.add(std::as_bytes(std::span(encoding.zeroPoints)));
  hasher.add(bytesOf(encoding.axis));
  hasher.add(static_cast<std::uint64_t>(encoding.blockSize));
}

}  // namespace

ContentId layerFactsKey(const Engine& engine, const Backend& backend) {
  if (!engine.content().valid()) return {};
  ContentHasher hasher;
  hasher.add("layer facts").add(engine.content());
  for (const std::string& region : backend.floatRegions) hasher.add(region);
  return hasher.id();
}

ContentId groupParamsKey(const Engine& engine, const ObserverGroups& groups, std::size_t group,
                         const Backend& backend, Convention convention,
                         const Observations& observations) {
  if (!engine.content().valid() || !observations.id().valid()) return {};
  const QuantizationPoint& first = groups.points[groups.members[group].front()];
  ContentHasher hasher;
  hasher.add("group").add(engine.content()).add(observations.id());
  hasher.add(std::uint64_t{groups.members[group].size()});
  for (const std::size_t member : groups.members[group]) {
    hasher.add(std::uint64_t{groups.points[member].value.at()});
  }
  hasher.add(bytesOf(first.precision));
  hasher.add(contentId(paramsWithoutGrids(first.precision, backend, convention)));
  hasher.add(std::uint64_t{first.fixed.has_value()});
  if (first.fixed) hasher.add(std::as_bytes(std::span(&*first.fixed, 1)));
  return hasher.id();
}

ContentId layerWeightsKey(const Engine& engine, const FusedLayer& layer,
                          const TensorPrecision& precision, const WeightRules& rules,
                          const std::optional<QuantParams>& activation,
                          const WeightOverrides& overrides) {
  if (!engine.content().valid()) return {};
  ContentHasher hasher;
  hasher.add("weights").add(engine.content());
  hasher.add(std::uint64_t{layer.members.size()});
  for (const NodeId member : layer.members) hasher.add(std::uint64_t{member.at()});
  hasher.add(bytesOf(precision));
  hasher.add(static_cast<std::uint64_t>(rules.convention));
  hasher.add(static_cast<std::uint64_t>(rules.bias));
  // Neither a float bias nor the weights beside it depend on the layer's input.
  const bool counts = activation && rules.bias != BiasRule::Float;
  hasher.add(counts ? contentId(*activation) : ContentId{});
  hasher.add(std::as_bytes(std::span(overrides.inputFactors)));
  for (const auto& [input, encoding] : overrides.encodings) {
    hasher.add(std::uint64_t{input});
    add(hasher, *encoding.encoding);
  }
  return hasher.id();
}

ContentId roundedConstantKey(const Engine& engine, ValueId constant, const QuantParams& params) {
  if (!engine.content().valid()) return {};
  ContentHasher hasher;
  hasher.add("constant").add(engine.content()).add(std::uint64_t{constant.at()});
  hasher.add(contentId(params));
  return hasher.id();
}

}  // namespace quantscope
