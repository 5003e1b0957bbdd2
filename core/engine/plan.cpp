#include "engine/plan.h"

#include <algorithm>

namespace quantscope {
namespace {

// Shapes that one node meets: models with dynamic extents change them from sample to sample.
constexpr std::size_t kShapes = 8;

}  // namespace

Plan::Plan(const Engine& engine, const PlanRequest& request)
    : m_engine(engine),
      m_given(engine.graph().values().size()),
      m_blocked(m_given.size()),
      m_neededValue(m_given.size()),
      m_neededNode(engine.graph().nodes().size()),
      m_seen(m_given.size()),
      m_kept(m_given.size()),
      m_steps(engine.graph().blocks().size()),
      m_slots(m_given.size(), -1) {
  for (const ValueId value : request.given) m_given[value.at()] = 1;
  for (const ValueId value : request.kept) m_kept[value.at()] = 1;
  for (const auto* values : {&request.given, &request.wanted, &request.kept}) {
    for (const ValueId value : *values) m_seen[value.at()] = 1;
  }
  markBlocked(Graph::mainBlock());
  for (const ValueId value : request.wanted) {
    if (m_blocked[value.at()]) {
      m_notComputed.push_back(value);
    } else {
      m_neededValue[value.at()] = 1;
    }
  }
  markNeeded(Graph::mainBlock());
  orderSteps(Graph::mainBlock());
  assignSlots();
}

// Forwards: an output is blocked where its node cannot run or reads something that is blocked.
void Plan::markBlocked(BlockId block) {
  const Graph& graph = m_engine.graph();
  if (block == Graph::mainBlock()) {
    for (const ValueId input : graph.inputs()) {
      if (!isGiven(input)) m_blocked[input.at()] = 1;
    }
  }
  const auto isBlocked = [this](ValueId value) {
    return value.valid() && m_blocked[value.at()] != 0;
  };
  for (const NodeId id : graph[block].nodes) {
    const Node& node = graph[id];
    bool blocked = !m_engine.executable(id) || std::ranges::any_of(node.inputs, isBlocked);
    for (const auto& [name, body] : node.bodies) {
      markBlocked(body);
      blocked = blocked || std::ranges::any_of(graph[body].outputs, isBlocked);
    }
    if (blocked) {
      for (const auto& [name, body] : node.bodies) blockAll(body);
    }
    for (const ValueId output : node.outputs) {
      if (output.valid() && !isGiven(output)) m_blocked[output.at()] = blocked ? 1 : 0;
    }
  }
}

// A control-flow node that cannot finish is not run at all.
void Plan::blockAll(BlockId block) {
  const Graph& graph = m_engine.graph();
  for (const NodeId id : graph[block].nodes) {
    for (const ValueId output : graph[id].outputs) {
      if (output.valid()) m_blocked[output.at()] = 1;
    }
    for (const auto& [name, body] : graph[id].bodies) blockAll(body);
  }
}

// Goes backwards: a node is needed for a needed output, or for a need inside its bodies.
void Plan::markNeeded(BlockId block) {
  const Graph& graph = m_engine.graph();
  const auto need = [this](ValueId value) {
    if (value.valid()) m_neededValue[value.at()] = 1;
  };
  const std::vector<NodeId>& nodes = graph[block].nodes;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    const Node& node = graph[*it];
    bool needed = std::ranges::any_of(node.outputs, [&](ValueId output) {
      return output.valid() && m_neededValue[output.at()] && !isGiven(output) &&
             !m_blocked[output.at()] && m_engine.constant(output) == nullptr;
    });
    needed = needed || std::ranges::any_of(node.bodies, [&](const auto& entry) {
               return wantsInside(entry.second);
             });
    if (!needed) continue;
    for (const auto& [name, body] : node.bodies) {
      std::ranges::for_each(graph[body].outputs, need);
      markNeeded(body);
    }
    m_neededNode[it->at()] = 1;
    std::ranges::for_each(readValues(graph, *it), need);
  }
}

bool Plan::wantsInside(BlockId block) const {
  const Graph& graph = m_engine.graph();
  return std::ranges::any_of(graph[block].nodes, [&](NodeId id) {
    const Node& node = graph[id];
    return std::ranges::any_of(node.outputs,
                               [&](ValueId output) {
                                 return output.valid() && m_neededValue[output.at()] &&
                                        !isGiven(output) && m_engine.constant(output) == nullptr;
                               }) ||
           std::ranges::any_of(node.bodies,
                               [&](const auto& entry) { return wantsInside(entry.second); });
  });
}

void Plan::orderSteps(BlockId block) {
  const Graph& graph = m_engine.graph();
  std::vector<NodeId> order;
  for (const NodeId id : graph[block].nodes) {
    if (!m_neededNode[id.at()]) continue;
    order.push_back(id);
    for (const auto& [name, body] : graph[id].bodies) orderSteps(body);
  }
  const FusionRules rules{[this](NodeId node) { return m_neededNode[node.at()] != 0; },
                          [this](ValueId value) { return m_seen[value.at()] != 0; }};
  for (const FusedNodes& group : fuseElementwise(m_engine, order, rules)) {
    Step& step = m_steps[block.at()].emplace_back();
    step.node = group.first;
    for (const auto& [node, input] : group.followers) step.followers.push_back({node, input, {}});
    if (followersReadConstants(group)) {
      step.programs = std::make_shared<RecentCache<FollowerProgram>>(kShapes);
    }
  }
  findLastReads(block);
}

// An elementwise first node is part of the followers' program, and reads a computed value.
bool Plan::followersReadConstants(const FusedNodes& group) const {
  if (group.followers.empty() || m_engine.kernel(group.first)->elementwise()) return false;
  return std::ranges::all_of(group.followers, [this](const FusedNodes::Follower& follower) {
    const std::vector<ValueId>& inputs = m_engine.graph()[follower.node].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool known = i == follower.input || !inputs[i].valid() ||
                         (m_engine.constant(inputs[i]) != nullptr && !isGiven(inputs[i]));
      if (!known) return false;
    }
    return true;
  });
}

// Goes backwards, so that the first reader found is the last one to run.
void Plan::findLastReads(BlockId block) {
  const Graph& graph = m_engine.graph();
  std::vector<char> read(m_given.size());
  for (const ValueId output : graph[block].outputs) read[output.at()] = 1;
  const auto touch = [&](NodeId node, std::vector<ValueId>& lastReads) {
    std::vector<ValueId> touched = readValues(graph, node);
    const std::vector<ValueId>& outputs = graph[node].outputs;
    touched.insert(touched.end(), outputs.begin(), outputs.end());
    for (const ValueId value : touched) {
      if (!value.valid() || read[value.at()]) continue;
      read[value.at()] = 1;
      const bool defined = graph[value].block == block;
      if (defined && !m_kept[value.at()] && m_engine.constant(value) == nullptr) {
        lastReads.push_back(value);
      }
    }
  };
  std::vector<Step>& steps = m_steps[block.at()];
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (auto follower = step->followers.rbegin(); follower != step->followers.rend(); ++follower) {
      touch(follower->node, follower->lastReads);
    }
    touch(step->node, step->lastReads);
  }
}

void Plan::assignSlots() {
  const Graph& graph = m_engine.graph();
  const auto assign = [this](ValueId value) {
    if (!value.valid() || m_slots[value.at()] >= 0) return;
    if (m_engine.constant(value) != nullptr && !isGiven(value)) return;
    m_slots[value.at()] = static_cast<std::int32_t>(m_slotCount++);
  };
  for (std::size_t i = 0; i < m_given.size(); ++i) {
    if (m_given[i]) assign(ValueId(i));
  }
  for (std::size_t b = 0; b < m_steps.size(); ++b) {
    if (!m_steps[b].empty()) std::ranges::for_each(graph.blocks()[b].inputs, assign);
    for (const Step& step : m_steps[b]) {
      std::ranges::for_each(graph[step.node].outputs, assign);
      for (const Step::Follower& follower : step.followers) {
        std::ranges::for_each(graph[follower.node].outputs, assign);
      }
      for (const auto& [name, body] : graph[step.node].bodies) {
        std::ranges::for_each(graph[body].inputs, assign);
      }
    }
  }
}

std::size_t Plan::stepCount() const {
  std::size_t count = 0;
  for (const std::vector<Step>& steps : m_steps) count += steps.size();
  return count;
}

std::size_t Plan::bytes() const {
  const auto bytesOf = []<class Item>(const std::vector<Item>& items) {
    return items.capacity() * sizeof(Item);
  };
  std::size_t bytes = sizeof(Plan) + bytesOf(m_steps) + bytesOf(m_notComputed) + bytesOf(m_slots);
  for (const auto* marks :
       {&m_given, &m_blocked, &m_neededValue, &m_neededNode, &m_seen, &m_kept}) {
    bytes += bytesOf(*marks);
  }
  for (const std::vector<Step>& steps : m_steps) {
    bytes += bytesOf(steps);
    for (const Step& step : steps) {
      bytes += bytesOf(step.lastReads) + bytesOf(step.followers);
      for (const Step::Follower& follower : step.followers) bytes += bytesOf(follower.lastReads);
      if (step.programs != nullptr) {
        bytes += RecentCache<FollowerProgram>::bytes() + sizeof(FollowerProgram) +
                 step.followers.size() * ElementProgram::stepBytes();
      }
    }
  }
  return bytes;
}

Plan planForOutputs(const Engine& engine) {
  const Graph& graph = engine.graph();
  PlanRequest request;
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  request.wanted.assign(graph.outputs().begin(), graph.outputs().end());
  request.kept = request.wanted;
  return {engine, request};
}

Plan planForAllValues(const Engine& engine) {
  const Graph& graph = engine.graph();
  PlanRequest request;
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  request.kept.assign(graph.outputs().begin(), graph.outputs().end());
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    if (graph.values()[i].producer.valid()) request.wanted.emplace_back(i);
  }
  return {engine, request};
}

}  // namespace quantscope
