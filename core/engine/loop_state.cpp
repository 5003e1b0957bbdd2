#include "engine/loop_state.h"

#include <cstring>
#include <limits>

#include "base/error.h"

namespace quantscope {
namespace {

// Throws where the iterations of a collected value differ in type or shape.
Tensor stack(const std::vector<Tensor>& items) {
  if (items.empty()) return Tensor::zeros(ElementType::Float32, Shape{0});
  Shape shape{static_cast<std::int64_t>(items.size())};
  for (const std::int64_t extent : items.front().shape()) shape.append(extent);
  Tensor result(items.front().type(), shape);
  const std::size_t bytes = items.front().byteSize();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].shape() != items.front().shape() || items[i].type() != items.front().type()) {
      throw Error(ErrorCode::InvalidModel, "a value that Loop collects changes its shape from " +
                                               toString(items.front().shape()) + " to " +
                                               toString(items[i].shape()));
    }
    std::memcpy(result.mutableBytes() + i * bytes, items[i].bytes(), bytes);
  }
  return result;
}

}  // namespace

LoopProgress::LoopProgress(const Tensor& limit, const Tensor& condition)
    : m_limit(std::numeric_limits<std::int64_t>::max()), m_condition(true) {
  if ((limit.defined() && limit.elementCount() != 1) ||
      (condition.defined() && condition.elementCount() != 1)) {
    throw Error(ErrorCode::InvalidModel, "Loop's trip count or condition is not a single value");
  }
  if (limit.defined()) m_limit = toIntegers(limit)[0];
  if (condition.defined()) m_condition = condition.values<bool>()[0];
}

void LoopProgress::prepareScans(std::size_t bodyOutputs) {
  if (bodyOutputs < carried.size() + 1) {
    throw Error(ErrorCode::InvalidModel, "Loop's body has too few outputs");
  }
  m_scans.resize(bodyOutputs - 1 - carried.size());
}

void LoopProgress::finish(std::span<const Tensor> bodyOutputs) {
  if (!bodyOutputs[0].defined() || bodyOutputs[0].elementCount() != 1) {
    throw Error(ErrorCode::InvalidModel, "the condition of Loop's body is not a single boolean");
  }
  m_condition = bodyOutputs[0].values<bool>()[0];
  for (std::size_t i = 0; i < carried.size(); ++i) carried[i] = bodyOutputs[i + 1];
  for (std::size_t i = 0; i < m_scans.size(); ++i) {
    m_scans[i].push_back(bodyOutputs[1 + carried.size() + i]);
  }
  ++iteration;
}

std::vector<Tensor> LoopProgress::results() const {
  std::vector<Tensor> all = carried;
  for (const std::vector<Tensor>& scan : m_scans) all.push_back(stack(scan));
  return all;
}

}  // namespace quantscope
