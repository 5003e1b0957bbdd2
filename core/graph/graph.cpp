#include "graph/graph.h"

#include <algorithm>
#include <queue>

#include "base/error.h"

namespace quantscope {
namespace {

template <class Index>
auto findByName(const Index& index, std::string_view name) {
  using IdType = typename Index::value_type::second_type;
  const auto found = std::ranges::lower_bound(
      index, name, {}, [](const auto& entry) { return std::string_view(entry.first); });
  return found != index.end() && found->first == name ? found->second : IdType{};
}

template <class Index>
void sortAndCheck(Index& index, const char* kind) {
  std::ranges::sort(index);
  const auto twice = std::ranges::adjacent_find(
      index, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == index.end()) return;
  throw Error(ErrorCode::InvalidModel,
              std::string("the name '") + twice->first + "' stands for more than one " + kind, {},
              "export the model again with unique names");
}

}  // namespace

std::string toString(const std::optional<std::vector<Dimension>>& shape) {
  if (!shape) return "?";
  std::string text = "[";
  for (const Dimension& dimension : *shape) {
    if (text.size() > 1) text += ", ";
    if (dimension.known()) {
      text += std::to_string(dimension.extent);
    } else {
      text += dimension.symbol.empty() ? "?" : dimension.symbol;
    }
  }
  return text + "]";
}

Graph::Graph() {
  m_blocks.emplace_back();
}

ValueId Graph::findValue(std::string_view valueName) const {
  return findByName(m_valueIndex, valueName);
}

NodeId Graph::findNode(std::string_view nodeName) const {
  return findByName(m_nodeIndex, nodeName);
}

const Tensor* Graph::constant(ValueId id) const {
  if (!id.valid() || !m_values[id.at()].constant.defined()) return nullptr;
  return &m_values[id.at()].constant;
}

BlockId Graph::addBlock(NodeId owner) {
  m_blocks.push_back(Block{.owner = owner, .nodes = {}, .inputs = {}, .outputs = {}});
  return BlockId(m_blocks.size() - 1);
}

ValueId Graph::addValue(Value value) {
  m_values.push_back(std::move(value));
  return ValueId(m_values.size() - 1);
}

NodeId Graph::addNode(Node node) {
  const NodeId id(m_nodes.size());
  for (const ValueId output : node.outputs) {
    if (output.valid()) m_values[output.at()].producer = id;
  }
  m_blocks[node.block.at()].nodes.push_back(id);
  m_nodes.push_back(std::move(node));
  return id;
}

void Graph::finish() {
  for (Value& value : m_values) value.consumers.clear();
  for (std::size_t i = 0; i < m_nodes.size(); ++i) {
    for (const ValueId input : m_nodes[i].inputs) {
      if (!input.valid()) continue;
      std::vector<NodeId>& consumers = m_values[input.at()].consumers;
      if (consumers.empty() || consumers.back() != NodeId(i)) consumers.push_back(NodeId(i));
    }
  }
  for (Block& block : m_blocks) sortBlock(block);

  m_valueIndex.clear();
  for (std::size_t i = 0; i < m_values.size(); ++i) {
    m_valueIndex.emplace_back(m_values[i].name, ValueId(i));
  }
  m_nodeIndex.clear();
  for (std::size_t i = 0; i < m_nodes.size(); ++i) {
    m_nodeIndex.emplace_back(m_nodes[i].name, NodeId(i));
  }
  sortAndCheck(m_valueIndex, "value");
  sortAndCheck(m_nodeIndex, "node");
}

// Kahn's algorithm; of the nodes that are ready, the one that stands first in the file goes first.
void Graph::sortBlock(Block& block) {
  std::vector<std::size_t> position(m_nodes.size(), m_nodes.size());
  for (std::size_t i = 0; i < block.nodes.size(); ++i) position[block.nodes[i].at()] = i;

  std::vector<std::vector<std::size_t>> successors(block.nodes.size());
  std::vector<std::size_t> waitingFor(block.nodes.size(), 0);
  for (std::size_t i = 0; i < block.nodes.size(); ++i) {
    for (const ValueId read : readValues(*this, block.nodes[i])) {
      const NodeId producer = m_values[read.at()].producer;
      if (!producer.valid() || position[producer.at()] == m_nodes.size()) continue;
      successors[position[producer.at()]].push_back(i);
      ++waitingFor[i];
    }
  }

  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < waitingFor.size(); ++i) {
    if (waitingFor[i] == 0) ready.push(i);
  }
  std::vector<NodeId> sorted;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    sorted.push_back(block.nodes[next]);
    for (const std::size_t successor : successors[next]) {
      if (--waitingFor[successor] == 0) ready.push(successor);
    }
  }
  if (sorted.size() != block.nodes.size()) {
    const auto stuck = std::ranges::find_if(waitingFor, [](std::size_t n) { return n > 0; });
    const NodeId node = block.nodes[static_cast<std::size_t>(stuck - waitingFor.begin())];
    throw Error(ErrorCode::InvalidModel, "the graph has a cycle",
                {.file = {}, .node = m_nodes[node.at()].name, .value = {}},
                "export the model again");
  }
  block.nodes = std::move(sorted);
}

std::vector<ValueId> readValues(const Graph& graph, NodeId id) {
  const Node& node = graph[id];
  std::vector<ValueId> read;
  for (const ValueId input : node.inputs) {
    if (input.valid()) read.push_back(input);
  }
  for (const auto& [name, body] : node.bodies) {
    const auto readByBody = [&](ValueId value) {
      if (value.valid() && graph[value].block != body) read.push_back(value);
    };
    for (const NodeId inner : graph[body].nodes) {
      for (const ValueId value : readValues(graph, inner)) readByBody(value);
    }
    for (const ValueId value : graph[body].outputs) readByBody(value);
  }
  return read;
}

}  // namespace quantscope
