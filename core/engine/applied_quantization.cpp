#include "engine/applied_quantization.h"

#include "quant/quant_params_id.h"
#include "tensor/tensor_id.h"

namespace quantscope {
namespace {

void add(ContentHasher& hasher, const QuantParams& params) {
  hasher.add(contentId(params));
}

void add(ContentHasher& hasher, const Tensor& tensor) {
  hasher.add(contentId(tensor));
}

void add(ContentHasher& hasher, const ChannelFactors& channels) {
  hasher.add(static_cast<std::uint64_t>(channels.axis));
  hasher.add(std::as_bytes(std::span(channels.factors)));
}

template <class What>
void add(ContentHasher& hasher, const std::vector<std::pair<std::size_t, What>>& places) {
  hasher.add(static_cast<std::uint64_t>(places.size()));
  for (const auto& [index, what] : places) {
    hasher.add(static_cast<std::uint64_t>(index));
    add(hasher, what);
  }
}

}  // namespace

ContentId effectId(const NodeQuantization& quantization) {
  if (quantization.empty()) return {};
  ContentHasher hasher;
  hasher.add(static_cast<std::uint64_t>(quantization.bypassed));
  add(hasher, quantization.constants);
  add(hasher, quantization.factors);
  add(hasher, quantization.inputs);
  add(hasher, quantization.outputs);
  return hasher.id();
}

SharedNode share(NodeQuantization&& quantization) {
  if (quantization.empty()) return nullptr;
  const ContentId effect = effectId(quantization);
  return std::make_shared<AppliedNode>(AppliedNode{std::move(quantization), effect});
}

const NodeQuantization& AppliedQuantization::operator[](NodeId node) const {
  static const NodeQuantization nothing;
  const SharedNode& applied = shared(node);
  return applied == nullptr ? nothing : applied->quantization;
}

ContentId AppliedQuantization::effect(NodeId node) const {
  const SharedNode& applied = shared(node);
  return applied == nullptr ? ContentId{} : applied->effect;
}

QuantizationChanges changesBetween(const AppliedQuantization& from, const AppliedQuantization& to) {
  QuantizationChanges changes;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const NodeId node(i);
    if (from.effect(node) != to.effect(node)) changes.emplace_back(node, to.shared(node));
  }
  return changes;
}

}  // namespace quantscope
