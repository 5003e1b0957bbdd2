#include "engine/evaluation/evaluation.h"

#include <algorithm>
#include <chrono>

#include "engine/half_values.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<ValueId> thoseToRunFor(const Evaluator& evaluator, std::span<const ValueId> wanted) {
  std::vector<ValueId> values;
  for (const ValueId value : wanted) {
    if (evaluator.computable(value) && evaluator.engine().constant(value) == nullptr) {
      values.push_back(value);
    }
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

}  // namespace

Evaluation::Evaluation(const Evaluator& evaluator, const SampleInputs& sample,
                       const ValueKeys& keys, const AppliedQuantization* quantization,
                       std::span<const ValueId> wanted, Keep keep, const ValueKeys* kept)
    : m_evaluator(evaluator),
      m_sample(sample),
      m_keys(keys),
      m_keep(keep),
      m_wanted(evaluator.engine().graph().values().size()) {
  const std::vector<ValueId> values = thoseToRunFor(evaluator, wanted);
  m_work = evaluator.workFor(sample, keys, values, kept);
  for (const auto& [value, stored] : m_work.found) m_held.emplace(value, stored);
  m_work.found.clear();
  if (m_work.plan == nullptr) return;
  for (const ValueId value : values) m_wanted[value.at()] = true;
  m_execution = std::make_unique<Execution>(*m_work.plan, m_work.given, quantization, sample.batch);
}

NodeId Evaluation::step() {
  m_made.clear();
  const NodeId first = next();
  const Clock::time_point start = Clock::now();
  const NodeId last = m_execution->step();
  m_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  if (last.valid() && depth() <= 1) {
    take(last);
    // A first node with several outputs has made its other outputs, too.
    if (first != last) take(first);
  }
  return last;
}

void Evaluation::take(NodeId node) {
  const Graph& graph = m_evaluator.engine().graph();
  for (const ValueId output : graph[node].outputs) {
    const bool fresh = output.valid() && m_wanted[output.at()] &&
                       graph[output].block == Graph::mainBlock() && !m_held.contains(output);
    if (!fresh) continue;
    const StoredValue stored = m_execution->stored(output);
    if (!stored.tensor.defined()) continue;
    m_wanted[output.at()] = false;
    m_held.emplace(output, stored);
    m_made.push_back(output);
    if (m_keep == Keep::Nowhere) continue;
    m_evaluator.cache().insert(Evaluator::key(m_sample, m_keys, output), stored, m_seconds);
    m_seconds = 0;
  }
}

void Evaluation::run(const JobContext& job) {
  while (!finished()) {
    job.throwIfCancelled();
    step();
  }
}

StoredValue Evaluation::find(ValueId value) const {
  const auto held = m_held.find(value);
  if (held != m_held.end()) return held->second;
  if (const Tensor* constant = m_evaluator.engine().constant(value)) return {*constant};
  for (const auto& [input, tensor] : m_sample.values) {
    if (input == value) return {tensor};
  }
  return {};
}

Tensor tensorOf(const StoredValue& value, Layout preferred) {
  Tensor tensor = value.tensor;
  if (!tensor.defined()) return tensor;
  if (preferred == Layout::Plain) tensor = toLayout(tensor, Layout::Plain);
  return isHalf(value.half) ? fromFloat32(tensor, value.half) : tensor;
}

}  // namespace quantscope
