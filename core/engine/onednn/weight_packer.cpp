#include "engine/onednn/weight_packer.h"

#include "engine/onednn/reorder.h"

namespace quantscope::onednn {
namespace {

constexpr std::size_t kConstantCapacity = 4;
constexpr std::size_t kComputedCapacity = 1;

ElementMemory reordered(const float* weights, const dnnl::memory::desc& plain,
                        const dnnl::memory::desc& wanted, MemoryUse use) {
  ElementMemory to(wanted.get_size(), use);
  reorder(plain, weights, wanted, to.data());
  return to;
}

}  // namespace

const void* PackedWeights::data(std::size_t part) const {
  if (!memories.empty()) return memories[part].data();
  return source.values<float>().data() + part * (source.elementCount() / parts);
}

WeightPacker::WeightPacker(bool constant)
    : m_use(constant ? MemoryUse::Weights : MemoryUse::Values),
      m_cache(constant ? kConstantCapacity : kComputedCapacity) {}

std::shared_ptr<const PackedWeights> WeightPacker::pack(const Tensor& weights,
                                                        const dnnl::memory::desc& plain,
                                                        const dnnl::memory::desc& wanted,
                                                        std::size_t parts) const {
  const auto matches = [&](const PackedWeights& packed) {
    return packed.source.sharesElementsWith(weights) && packed.order == wanted &&
           packed.parts == parts;
  };
  if (auto found = m_cache.find(matches)) return found;
  // Outside the lock: two threads may pack the same weights twice, but none waits for the other.
  auto packed = std::make_shared<PackedWeights>();
  packed->source = weights;
  packed->order = wanted;
  packed->parts = parts;
  const float* from = weights.values<float>().data();
  const std::size_t elements = weights.elementCount() / parts;
  for (std::size_t part = 0; plain != wanted && part < parts; ++part, from += elements) {
    packed->memories.push_back(reordered(from, plain, wanted, m_use));
  }
  m_cache.insert(packed);
  return packed;
}

}  // namespace quantscope::onednn
