#include "compare/flat_model.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "calibration/feed_loop.h"
#include "compare/inlined_branches.h"
#include "engine/execution.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

/// How often runs took each branch: "else", "then".
using Choices = std::map<NodeId, std::array<std::size_t, 2>>;
constexpr std::array<const char*, 2> kBranches{"else", "then"};

bool isBranch(const Node& node) {
  return operatorTraits(node).controlFlow == ControlFlow::Branch;
}

// Of the Ifs that no repetition holds.
std::vector<NodeId> liftableIfs(const Graph& graph, BlockId block) {
  std::vector<NodeId> found;
  for (const NodeId id : graph[block].nodes) {
    if (!isBranch(graph[id])) continue;
    found.push_back(id);
    for (const auto& [name, body] : graph[id].bodies) {
      const std::vector<NodeId> inner = liftableIfs(graph, body);
      found.insert(found.end(), inner.begin(), inner.end());
    }
  }
  return found;
}

// With all of them wanted, each If runs that a run of the whole model comes by.
std::vector<ValueId> outputsOf(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<ValueId> outputs;
  for (const NodeId id : nodes) {
    std::ranges::copy_if(graph[id].outputs, std::back_inserter(outputs), &ValueId::valid);
  }
  return outputs;
}

Choices choicesOf(const Plan& plan, const Feed& feed, const JobContext& job) {
  const Graph& graph = plan.engine().graph();
  Choices choices;
  Execution execution(plan, feed.inputs, nullptr, feed.batch);
  while (!execution.finished()) {
    job.throwIfCancelled();
    const NodeId next = execution.next();
    const std::size_t depth = execution.depth();
    const Tensor condition =
        isBranch(graph[next]) ? execution.value(graph[next].inputs[0]) : Tensor();
    execution.step();
    if (!condition.defined() || execution.depth() <= depth) continue;
    ++choices[next][condition.values<bool>()[0] ? 1 : 0];
  }
  return choices;
}

std::size_t nodesIn(const Graph& graph, BlockId block) {
  std::size_t count = graph[block].nodes.size();
  for (const NodeId id : graph[block].nodes) {
    for (const auto& [name, body] : graph[id].bodies) count += nodesIn(graph, body);
  }
  return count;
}

/// Lists what stays outside of the main graph.
class SkippedBodies {
 public:
  SkippedBodies(const Graph& graph, const Choices& choices) : m_graph(graph), m_choices(choices) {}

  void visit(BlockId block) {
    for (const NodeId id : m_graph[block].nodes) {
      for (const auto& [name, body] : m_graph[id].bodies) {
        const std::string reason = reasonFor(id, name);
        if (reason.empty()) {
          visit(body);
        } else if (const std::size_t nodes = nodesIn(m_graph, body); nodes > 0) {
          m_skipped.push_back({m_graph[id].name, m_graph[id].op, name, nodes, reason});
        }
      }
    }
  }

  std::vector<SkippedBody> take() { return std::move(m_skipped); }

 private:
  std::string reasonFor(NodeId id, const std::string& body) const {
    if (!isBranch(m_graph[id])) return "its nodes run several times for a sample";
    const auto choice = m_choices.find(id);
    if (choice == m_choices.end()) return "it does not run";
    const auto& [elses, thens] = choice->second;
    if (elses > 0 && thens > 0) return "only some of the samples take it";
    return (body == kBranches[1]) == (thens > 0) ? "" : "no sample takes it";
  }

  const Graph& m_graph;
  const Choices& m_choices;
  std::vector<SkippedBody> m_skipped;
};

TakenBranches takenOf(const Choices& choices) {
  TakenBranches taken;
  for (const auto& [node, counts] : choices) {
    if (counts[0] > 0 && counts[1] > 0) continue;
    taken[node] = kBranches[counts[1] > 0 ? 1 : 0];
  }
  return taken;
}

}  // namespace

FlatModel::FlatModel(const Engine& engine, SampleSource& source,
                     const std::function<Feed(const Feed&)>& taken, JobContext& job)
    : m_engine(engine) {
  const Graph& graph = engine.graph();
  if (graph.blocks().size() < 2) return;
  Choices choices;
  if (const std::vector<NodeId> ifs = liftableIfs(graph, Graph::mainBlock()); !ifs.empty()) {
    const std::span<const ValueId> inputs = graph.inputs();
    const Plan plan(engine, {{inputs.begin(), inputs.end()}, outputsOf(graph, ifs), {}});
    job.beginStage("Finding branches", source.sampleCount(), "samples");
    forEachFeed(
        source, job, [&](const Feed& feed) { return choicesOf(plan, taken(feed), job); },
        [&](const Feed&, const Choices& found) {
          for (const auto& [node, counts] : found) {
            for (std::size_t i = 0; i < counts.size(); ++i) choices[node][i] += counts[i];
          }
        });
  }
  SkippedBodies bodies(graph, choices);
  bodies.visit(Graph::mainBlock());
  m_skipped = bodies.take();
  const TakenBranches lifted = takenOf(choices);
  if (lifted.empty()) return;
  m_flat = std::make_unique<const Engine>(
      std::make_shared<const Graph>(inlineBranches(graph, lifted)), job.workers());
}

}  // namespace quantscope
