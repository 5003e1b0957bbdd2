#include "engine/evaluation/evaluator.h"

#include <algorithm>

namespace quantscope {
namespace {

ContentId idOf(const PlanRequest& request) {
  ContentHasher hasher;
  for (const auto* values : {&request.given, &request.wanted}) {
    hasher.add(std::as_bytes(std::span(*values)));
  }
  return hasher.id();
}

std::vector<bool> findComputable(const Engine& engine) {
  std::vector<bool> computable(engine.graph().values().size(), true);
  const Plan plan = planForAllValues(engine);
  for (const ValueId value : plan.notComputed()) computable[value.at()] = false;
  return computable;
}

// Walks backwards from the wanted values to the known ones.
class Frontier {
 public:
  Frontier(const Engine& engine, ActivationCache& cache, const SampleInputs& sample,
           const ValueKeys& keys, const ValueKeys* kept)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_cache(cache),
        m_sample(sample),
        m_keys(keys),
        m_kept(kept),
        m_visited(m_graph.values().size()),
        m_entered(m_graph.nodes().size()) {}

  Evaluator::Work find(std::span<const ValueId> wanted) {
    for (const ValueId value : wanted) {
      if (auto known = knownValue(value)) {
        m_work.found.emplace_back(value, *std::move(known));
      } else {
        m_missing.push_back(value);
      }
    }
    for (const ValueId value : m_missing) require(value);
    while (!m_open.empty()) {
      const ValueId value = m_open.back();
      m_open.pop_back();
      if (auto known = knownValue(value)) {
        m_work.given.emplace_back(value, *std::move(known));
      } else {
        require(value);
      }
    }
    return std::move(m_work);
  }

  std::vector<ValueId> takeMissing() { return std::move(m_missing); }

 private:
  std::optional<StoredValue> knownValue(ValueId value) {
    const Value& described = m_graph[value];
    if (described.block != Graph::mainBlock()) return std::nullopt;
    if (!described.producer.valid()) {
      for (const auto& [input, tensor] : m_sample.values) {
        if (input == value) return StoredValue{tensor};
      }
    }
    if (m_kept != nullptr && (*m_kept)[value] != m_keys[value]) return std::nullopt;
    return m_cache.find(Evaluator::key(m_sample, m_keys, value));
  }

  // Values inside a sub-graph come from a run of the node that it belongs to.
  NodeId maker(ValueId value) const {
    NodeId node = m_graph[value].producer;
    for (BlockId block = m_graph[value].block; block != Graph::mainBlock();) {
      node = m_graph[block].owner;
      block = m_graph[node].block;
    }
    return node;
  }

  void require(ValueId value) {
    const NodeId node = maker(value);
    if (!node.valid() || m_entered[node.at()]) return;
    m_entered[node.at()] = true;
    for (const ValueId read : readValues(m_graph, node)) {
      if (m_visited[read.at()] || m_engine.constant(read) != nullptr) continue;
      m_visited[read.at()] = true;
      m_open.push_back(read);
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  ActivationCache& m_cache;
  const SampleInputs& m_sample;
  const ValueKeys& m_keys;
  const ValueKeys* m_kept;
  std::vector<bool> m_visited;  // by value
  std::vector<bool> m_entered;  // by node
  std::vector<ValueId> m_open;
  std::vector<ValueId> m_missing;
  Evaluator::Work m_work;
};

}  // namespace

Evaluator::Evaluator(const Engine& engine, ActivationCache& cache)
    : m_engine(engine), m_cache(cache), m_computable(findComputable(engine)), m_plans(0) {
  m_cache.plans().add(m_plans);
}

Evaluator::~Evaluator() {
  m_cache.plans().remove(m_plans);
}

Evaluator::Work Evaluator::workFor(const SampleInputs& sample, const ValueKeys& keys,
                                   std::span<const ValueId> wanted, const ValueKeys* kept) const {
  Frontier frontier(m_engine, m_cache, sample, keys, kept);
  Work work = frontier.find(wanted);
  PlanRequest request;
  request.wanted = frontier.takeMissing();
  if (request.wanted.empty()) return work;
  // A plan treats graph inputs that it is not given as values that cannot be computed.
  for (const auto& [input, tensor] : sample.values) {
    const bool known = std::ranges::any_of(
        work.given, [input = input](const auto& entry) { return entry.first == input; });
    if (!known) work.given.emplace_back(input, StoredValue{tensor});
  }
  std::ranges::sort(work.given, {}, &Values::value_type::first);
  for (const auto& [value, stored] : work.given) request.given.push_back(value);
  std::ranges::sort(request.wanted);
  work.plan = m_plans.get<Plan>(idOf(request), [&] { return Plan(m_engine, request); });
  return work;
}

}  // namespace quantscope
