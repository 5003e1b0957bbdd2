#include "widgets/graph/drawing/scope_tree.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "layout/acyclic_parts.h"
#include "layout/layering.h"
#include "widgets/graph/drawing/scope_names.h"

namespace quantscope {
namespace {

constexpr std::size_t kNoScope = std::numeric_limits<std::size_t>::max();

using Kind = ScopeGroup::Kind;

// A unit is a layer as its block sees it: with the bodies that it owns.
struct BlockUnits {
  std::vector<std::size_t> units;  // layers, in execution order
  std::vector<LayoutEdge> edges;   // between layers of this block
};

class TreeBuilder {
 public:
  TreeBuilder(const AnalysisResult& result, const Graph& graph, const LayerGraph& layers)
      : m_result(result),
        m_graph(graph),
        m_layers(layers),
        m_layerOfNode(graph.nodes().size(), kNoScope),
        m_blocks(graph.blocks().size()),
        m_place(layers.layers, kNoScope) {
    for (std::size_t layer = 0; layer < layers.layers; ++layer) {
      for (const NodeId member : result.layers[layer].members) m_layerOfNode[member.at()] = layer;
    }
    for (std::size_t layer = 0; layer < layers.layers; ++layer) {
      m_blockOfLayer.push_back(blockOf(layer));
      m_blocks[m_blockOfLayer[layer].at()].units.push_back(layer);
    }
  }

  ScopeTree build() {
    m_tree.groupOfBox.assign(m_layers.boxes(), 0);
    m_tree.upward.assign(m_layers.edges.size(), false);
    m_tree.groups.emplace_back();
    liftEdges();
    addBlock(Graph::mainBlock(), 0);
    numberParts();
    return std::move(m_tree);
  }

 private:
  // The nearest block around a layer whose owner is a layer itself.
  BlockId blockOf(std::size_t layer) const {
    BlockId block = m_graph[m_result.layers[layer].node].block;
    while (ownerOf(block) == kNoScope && m_graph[block].owner.valid()) {
      block = m_graph[m_graph[block].owner].block;
    }
    return block;
  }

  std::size_t ownerOf(BlockId block) const {
    const NodeId owner = m_graph[block].owner;
    return owner.valid() ? m_layerOfNode[owner.at()] : kNoScope;
  }

  // The layers from the main block down to `layer`, each the owner of the next one's block.
  std::vector<std::size_t> owners(std::size_t layer) const {
    std::vector<std::size_t> chain{layer};
    while (m_blockOfLayer[chain.back()] != Graph::mainBlock()) {
      chain.push_back(ownerOf(m_blockOfLayer[chain.back()]));
    }
    std::ranges::reverse(chain);
    return chain;
  }

  // Finds the block in which both ends of an edge are units, and reverses edges that would make a
  // cycle there.
  void liftEdges() {
    std::vector<std::vector<std::size_t>> edgeOf(m_blocks.size());
    for (std::size_t i = 0; i < m_layers.edges.size(); ++i) {
      const LayoutEdge& edge = m_layers.edges[i];
      if (edge.from >= m_layers.layers || edge.to >= m_layers.layers) continue;
      const LayoutEdge lifted = lift(edge);
      if (lifted.from == lifted.to) continue;
      const std::size_t block = m_blockOfLayer[lifted.from].at();
      m_blocks[block].edges.push_back(lifted);
      edgeOf[block].push_back(i);
    }
    for (std::size_t block = 0; block < m_blocks.size(); ++block) {
      if (isAcyclic(m_blocks[block])) continue;
      for (std::size_t i = 0; i < m_blocks[block].edges.size(); ++i) {
        LayoutEdge& edge = m_blocks[block].edges[i];
        if (edge.from < edge.to) continue;
        std::swap(edge.from, edge.to);
        m_tree.upward[edgeOf[block][i]] = true;
      }
    }
  }

  LayoutEdge lift(const LayoutEdge& edge) const {
    if (m_blockOfLayer[edge.from] == m_blockOfLayer[edge.to]) return edge;
    const std::vector<std::size_t> from = owners(edge.from);
    const std::vector<std::size_t> to = owners(edge.to);
    std::size_t level = 0;
    const auto below = [&](std::size_t next) { return next < from.size() && next < to.size(); };
    while (from[level] == to[level] && below(level + 1)) ++level;
    // Two bodies of one owner: their blocks differ though the owner is the same.
    if (m_blockOfLayer[from[level]] != m_blockOfLayer[to[level]]) --level;
    return {from[level], to[level]};
  }

  bool isAcyclic(const BlockUnits& block) {
    try {
      longestPathLayers(block.units.size(), placed(block.units, block.edges));
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  // The edges among `units`, by place in that list.
  std::vector<LayoutEdge> placed(const std::vector<std::size_t>& units,
                                 const std::vector<LayoutEdge>& edges) {
    for (std::size_t i = 0; i < units.size(); ++i) m_place[units[i]] = i;
    std::vector<LayoutEdge> result;
    for (const LayoutEdge& edge : edges) {
      result.push_back({m_place[edge.from], m_place[edge.to]});
    }
    return result;
  }

  void addBlock(BlockId id, std::size_t group) {
    BlockUnits& block = m_blocks[id.at()];
    const std::size_t ownName = blockName(id).size();
    ScopeNames names;
    std::vector<std::vector<std::size_t>> paths;
    for (const std::size_t unit : block.units) {
      const LayerResult& layer = m_result.layers[unit];
      const bool inside = layer.scope.starts_with(blockName(id));
      paths.push_back(inside ? names.path(layer.scope, ownName) : std::vector<std::size_t>{});
    }
    Level level{names, commonScopes(paths), group, {}, {}};
    const auto scoped = std::ranges::find_if(paths, [](const auto& path) { return !path.empty(); });
    m_tree.groups[group].prefix =
        level.depth == 0 ? blockName(id) : names.fullName((*scoped)[level.depth - 1]);
    for (std::size_t i = 0; i < block.units.size(); ++i) {
      level.units.push_back({block.units[i], &paths[i]});
    }
    level.edges = block.edges;
    split(std::move(level));
  }

  // Names of nodes in a body begin with this.
  std::string blockName(BlockId id) const {
    const NodeId owner = m_graph[id].owner;
    if (!owner.valid()) return {};
    for (const auto& [attribute, body] : m_graph[owner].bodies) {
      if (body == id) return m_graph[owner].name + "/" + attribute;
    }
    return {};
  }

  struct Unit {
    std::size_t layer = 0;
    const std::vector<std::size_t>* path = nullptr;
    std::size_t scopeAt(std::size_t depth) const {
      return path->size() > depth ? (*path)[depth] : kAlone;
    }
  };

  // Units that share the first `depth` scopes, and the group that they go into.
  struct Level {
    const ScopeNames& names;
    std::size_t depth = 0;
    std::size_t group = 0;
    std::vector<Unit> units;
    std::vector<LayoutEdge> edges;  // between layers
  };

  void split(Level level) {
    std::vector<std::size_t> layers;
    std::vector<std::size_t> scopes;
    for (const Unit& unit : level.units) {
      layers.push_back(unit.layer);
      scopes.push_back(unit.scopeAt(level.depth));
    }
    const std::vector<LayoutEdge> edges = placed(layers, level.edges);
    const std::vector<std::size_t> parts = acyclicParts(scopes, edges);

    std::map<std::size_t, Level> children;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto [child, added] =
          children.try_emplace(parts[i], Level{level.names, level.depth + 1, level.group, {}, {}});
      child->second.units.push_back(level.units[i]);
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const std::size_t part = parts[edges[i].from];
      if (part == parts[edges[i].to]) children.at(part).edges.push_back(level.edges[i]);
    }
    for (auto& [part, child] : children) {
      if (child.units.size() == 1) {
        addUnit(child.units.front().layer, level.group);
      } else {
        addScope(std::move(child));
      }
    }
  }

  // A group for the scope, and for those inside as long as each holds nothing but the next.
  void addScope(Level level) {
    ScopeGroup group{.kind = Kind::Scope};
    const auto take = [&](std::size_t scope) {
      group.scopes.push_back(level.names.fullName(scope));
      group.title += (group.title.empty() ? "" : " / ") + level.names.lastPart(scope);
    };
    take(level.units.front().scopeAt(level.depth - 1));
    for (;; ++level.depth) {
      const std::size_t next = level.units.front().scopeAt(level.depth);
      const auto same = [&](const Unit& unit) { return unit.scopeAt(level.depth) == next; };
      if (next == kAlone || !std::ranges::all_of(level.units, same)) break;
      take(next);
    }
    group.prefix = group.scopes.back();
    level.group = add(std::move(group), level.group);
    split(std::move(level));
  }

  std::size_t add(ScopeGroup group, std::size_t parent) {
    group.parent = parent;
    group.depth = m_tree.groups[parent].depth + 1;
    m_tree.groups.push_back(std::move(group));
    return m_tree.groups.size() - 1;
  }

  void addUnit(std::size_t layer, std::size_t group) {
    std::vector<std::pair<std::string, BlockId>> bodies;
    for (const NodeId member : m_result.layers[layer].members) {
      for (const auto& body : m_graph[member].bodies) {
        if (!m_blocks[body.second.at()].units.empty()) bodies.push_back(body);
      }
    }
    if (bodies.empty()) {
      m_tree.groupOfBox[layer] = group;
      return;
    }
    const NodeId owner = m_graph[bodies.front().second].owner;
    const std::string title = ownerTitle(owner);
    const bool single = bodies.size() == 1;
    const std::size_t frame = add({.kind = Kind::Owner,
                                   .title = single ? title + " · " + bodies.front().first : title,
                                   .owner = owner},
                                  group);
    m_tree.groupOfBox[layer] = frame;
    for (const auto& [attribute, block] : bodies) {
      ScopeGroup body{.kind = Kind::Body, .title = attribute, .owner = owner};
      addBlock(block, single ? frame : add(std::move(body), frame));
    }
  }

  std::string ownerTitle(NodeId owner) const {
    const std::string name = shortName(m_graph[owner].name);
    const std::string& op = m_graph[owner].op;
    return name.starts_with(op) ? name : op + " " + name;
  }

  void numberParts() {
    std::map<std::string, int> counts;
    for (ScopeGroup& group : m_tree.groups) {
      if (group.kind == Kind::Scope) group.part = ++counts[group.scopes.front()];
    }
    for (ScopeGroup& group : m_tree.groups) {
      if (group.kind != Kind::Scope) continue;
      group.parts = counts.at(group.scopes.front());
      if (group.parts == 1) group.part = 0;
    }
  }

  const AnalysisResult& m_result;
  const Graph& m_graph;
  const LayerGraph& m_layers;
  std::vector<std::size_t> m_layerOfNode;
  std::vector<BlockId> m_blockOfLayer;
  std::vector<BlockUnits> m_blocks;
  std::vector<std::size_t> m_place;
  ScopeTree m_tree;
};

}  // namespace

ScopeTree scopeTree(const AnalysisResult& result, const Graph& graph, const LayerGraph& layers) {
  return TreeBuilder(result, graph, layers).build();
}

}  // namespace quantscope
