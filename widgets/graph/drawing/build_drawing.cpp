#include "widgets/graph/drawing/build_drawing.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "layout/compound_layout.h"
#include "widgets/graph/drawing/box_sizes.h"
#include "widgets/graph/drawing/box_texts.h"
#include "widgets/graph/drawing/constant_stack.h"

namespace quantscope {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

constexpr double kFrameMargin = 16;
constexpr double kTitleRoom = 38;  // a frame's title and its distance from what is below

class DrawingBuilder {
 public:
  DrawingBuilder(const AnalysisSnapshot& snapshot, const DrawingOptions& options, const QFont& font)
      : m_result(*snapshot.result),
        m_graph(snapshot.graph()),
        m_options(options),
        m_sizes(font),
        m_layers(layerGraph(m_result, m_graph)),
        m_tree(scopeTree(m_result, m_graph, m_layers)) {}

  GraphDrawing build() {
    openGroups();
    collectLayers();
    addBoxes();
    addEdges();
    measure();
    if (m_options.constants) addConstants();
    place();
    placeConstants();
    return std::move(m_drawing);
  }

 private:
  bool isCollapsed(const ScopeGroup& group) const {
    if (group.kind == ScopeGroup::Kind::Owner) return !m_options.openBodies.contains(group.owner);
    return std::ranges::any_of(group.scopes, [&](const std::string& scope) {
      return m_options.collapsed.contains(scope);
    });
  }

  // Decides which groups are frames, which cards, and which are hidden in a card.
  void openGroups() {
    const std::vector<ScopeGroup>& groups = m_tree.groups;
    m_frame.assign(groups.size(), kNone);
    m_card.assign(groups.size(), kNone);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::size_t parent = groups[i].parent;
      if (i > 0 && m_card[parent] != kNone) {
        m_card[i] = m_card[parent];
      } else if (i > 0 && isCollapsed(groups[i])) {
        m_card[i] = i;
      } else {
        m_frame[i] = m_frameGroups.size();
        m_frameGroups.push_back(i);
        m_compound.push_back(compoundGroup(i));
      }
    }
  }

  CompoundGroup compoundGroup(std::size_t index) {
    if (index == 0) return {};
    CompoundGroup group{.parent = m_frame[m_tree.groups[index].parent],
                        .before = kFrameMargin,
                        .after = kFrameMargin,
                        .left = kFrameMargin,
                        .right = kFrameMargin};
    // The title stands at the top, which is a side of a drawing from left to right.
    (m_options.leftToRight ? group.left : group.before) = kTitleRoom;
    (m_options.leftToRight ? group.minHeight : group.minWidth) =
        m_sizes.frameWidth(groupTitle(m_tree.groups[index]));
    return group;
  }

  void collectLayers() {
    m_layersOfCard.resize(m_tree.groups.size());
    for (std::size_t layer = 0; layer < m_layers.layers; ++layer) {
      const std::size_t card = m_card[m_tree.groupOfBox[layer]];
      if (card != kNone) m_layersOfCard[card].push_back(layer);
    }
  }

  // Adds boxes in the order of the model: inputs, layers in execution order, outputs. A card comes
  // at the place of its first layer.
  void addBoxes() {
    m_shownAs.resize(m_layers.boxes());
    const std::size_t firstOutput = m_layers.layers + m_layers.inputs.size();
    for (std::size_t i = 0; i < m_layers.inputs.size(); ++i) {
      m_shownAs[m_layers.layers + i] =
          add(valueBox(m_graph, m_layers.inputs[i], DrawnBox::Kind::Input), 0);
    }
    std::vector<std::size_t> boxOfCard(m_tree.groups.size(), kNone);
    for (std::size_t layer = 0; layer < m_layers.layers; ++layer) {
      const std::size_t group = m_tree.groupOfBox[layer];
      const std::size_t card = m_card[group];
      if (card == kNone) {
        m_shownAs[layer] = add(layerBox(m_result, layer, prefixFor(layer)), m_frame[group]);
      } else {
        if (boxOfCard[card] == kNone) boxOfCard[card] = addCard(card);
        m_shownAs[layer] = boxOfCard[card];
      }
    }
    for (std::size_t i = 0; i < m_layers.outputs.size(); ++i) {
      m_shownAs[firstOutput + i] =
          add(valueBox(m_graph, m_layers.outputs[i], DrawnBox::Kind::Output), 0);
    }
  }

  const std::string& prefixFor(std::size_t layer) const {
    const ScopeGroup& group = m_tree.groups[m_tree.groupOfBox[layer]];
    const bool owner = std::ranges::find(m_result.layers[layer].members, group.owner) !=
                       m_result.layers[layer].members.end();
    return owner ? m_tree.groups[group.parent].prefix : group.prefix;
  }

  std::size_t addCard(std::size_t group) {
    return add(cardBox(m_tree.groups[group], std::move(m_layersOfCard[group])),
               m_frame[m_tree.groups[group].parent]);
  }

  std::size_t add(DrawnBox box, std::size_t frame) {
    m_drawing.boxes.push_back(std::move(box));
    m_frameOfBox.push_back(frame);
    return m_drawing.boxes.size() - 1;
  }

  void addEdges() {
    std::unordered_map<std::size_t, std::size_t> known;
    for (std::size_t i = 0; i < m_layers.edges.size(); ++i) {
      const std::size_t from = m_shownAs[m_layers.edges[i].from];
      const std::size_t to = m_shownAs[m_layers.edges[i].to];
      if (from == to) continue;
      const std::size_t key = (from * m_drawing.boxes.size() + to) * 2 + (m_tree.upward[i] ? 1 : 0);
      const auto [edge, added] = known.try_emplace(key, m_drawing.edges.size());
      if (added) addEdge(from, to, m_tree.upward[i]);
      std::vector<ValueId>& values = m_drawing.edges[edge->second].values;
      values.insert(values.end(), m_layers.values[i].begin(), m_layers.values[i].end());
    }
    for (DrawnEdge& edge : m_drawing.edges) {
      std::ranges::sort(edge.values);
      const auto repeated = std::ranges::unique(edge.values);
      edge.values.erase(repeated.begin(), repeated.end());
    }
  }

  void addEdge(std::size_t from, std::size_t to, bool upward) {
    m_drawing.edges.push_back({.from = from, .to = to, .values = {}, .points = {}});
    m_upward.push_back(upward);
  }

  void measure() {
    for (DrawnBox& box : m_drawing.boxes) box.rect.setSize(m_sizes.sizeOf(box));
  }

  void addConstants() {
    m_stackOfBox.assign(m_drawing.boxes.size(), kNone);
    for (std::size_t i = 0; i < m_stackOfBox.size(); ++i) {
      const DrawnBox::Kind kind = m_drawing.boxes[i].kind;
      if (kind != DrawnBox::Kind::Layer && kind != DrawnBox::Kind::DataMover) continue;
      const std::vector<ValueId> constants = constantsOf(m_drawing.boxes[i].layers.front());
      if (constants.empty()) continue;
      m_stackOfBox[i] = m_stacks.size();
      LayerConstants stack{{m_drawing.boxes[i].rect.size(), m_options.leftToRight}, i, {}, {}};
      for (const ValueId constant : constants) {
        stack.boxes.push_back(valueBox(m_graph, constant, DrawnBox::Kind::Constant));
        stack.boxes.back().rect.setSize(m_sizes.sizeOf(stack.boxes.back()));
        stack.stack.add(stack.boxes.back().rect.size());
        stack.values.push_back(constant);
      }
      m_stacks.push_back(std::move(stack));
    }
  }

  std::vector<ValueId> constantsOf(std::size_t layer) const {
    std::vector<ValueId> constants;
    for (const NodeId member : m_result.layers[layer].members) {
      for (const ValueId input : m_graph[member].inputs) {
        if (!input.valid() || m_graph.constant(input) == nullptr) continue;
        if (std::ranges::find(constants, input) == constants.end()) constants.push_back(input);
      }
    }
    return constants;
  }

  void place() {
    std::vector<LayoutEdge> edges;
    std::vector<bool> fed(m_drawing.boxes.size(), false);
    for (std::size_t i = 0; i < m_drawing.edges.size(); ++i) {
      LayoutEdge edge{.from = m_drawing.edges[i].from, .to = m_drawing.edges[i].to};
      if (m_upward[i]) std::swap(edge.from, edge.to);
      fed[edge.to] = true;
      edges.push_back(edge);
    }
    std::vector<CompoundBox> boxes;
    for (std::size_t i = 0; i < m_drawing.boxes.size(); ++i) {
      const ConstantStack* stack = stackOf(i);
      const QSizeF size = turned(stack != nullptr ? stack->size() : m_drawing.boxes[i].rect.size());
      const QPointF offset = stack != nullptr ? stack->layerOffset() : QPointF();
      boxes.push_back({.size = {.width = size.width(),
                                .height = size.height(),
                                .pin = fed[i] ? LayoutPin::Early : LayoutPin::Late,
                                .axis = m_options.leftToRight ? offset.y() : offset.x()},
                       .group = m_frameOfBox[i]});
    }
    takeOver(layoutCompound(m_compound, boxes, edges));
  }

  const ConstantStack* stackOf(std::size_t box) const {
    const bool any = !m_stackOfBox.empty() && m_stackOfBox[box] != kNone;
    return any ? &m_stacks[m_stackOfBox[box]].stack : nullptr;
  }

  void takeOver(const CompoundLayout& layout) {
    for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
      QPointF centre = turned(layout.boxes[i]).center();
      if (const ConstantStack* stack = stackOf(i)) centre += stack->layerOffset();
      m_drawing.boxes[i].rect.moveCenter(centre);
    }
    for (std::size_t i = 0; i < layout.routes.size(); ++i) {
      std::vector<QPointF>& points = m_drawing.edges[i].points;
      for (const LayoutPoint& point : layout.routes[i]) points.push_back(turned(point));
      if (m_upward[i]) std::ranges::reverse(points);
      lengthen(m_drawing.edges[i], m_upward[i]);
    }
    for (std::size_t i = 1; i < layout.groups.size(); ++i) {
      const ScopeGroup& group = m_tree.groups[m_frameGroups[i]];
      m_drawing.frames.push_back({.rect = turned(layout.groups[i]),
                                  .title = groupTitle(group),
                                  .scope = group.scopes.empty() ? "" : group.scopes.back(),
                                  .owner = group.owner,
                                  .depth = group.depth - 1});
    }
    std::ranges::stable_sort(m_drawing.frames, {}, &DrawnFrame::depth);
    m_drawing.bounds = turned(layout.groups.front());
  }

  // Extends an edge from the border of a layer with its constants to the layer itself.
  void lengthen(DrawnEdge& edge, bool upward) const {
    if (stackOf(edge.from) != nullptr) {
      const QRectF& layer = m_drawing.boxes[edge.from].rect;
      edge.points.insert(edge.points.begin(), borderPoint(layer, !upward));
    }
    if (stackOf(edge.to) != nullptr) {
      edge.points.push_back(borderPoint(m_drawing.boxes[edge.to].rect, upward));
    }
  }

  // The middle of the side where edges leave, or of the one where they come in.
  QPointF borderPoint(const QRectF& rect, bool leaving) const {
    const QPointF centre = rect.center();
    if (m_options.leftToRight) return {leaving ? rect.right() : rect.left(), centre.y()};
    return {centre.x(), leaving ? rect.bottom() : rect.top()};
  }

  void placeConstants() {
    for (LayerConstants& constants : m_stacks) {
      const QRectF layer = m_drawing.boxes[constants.layer].rect;
      for (std::size_t i = 0; i < constants.boxes.size(); ++i) {
        constants.boxes[i].rect = constants.stack.rect(i, layer);
        m_drawing.edges.push_back({.from = m_drawing.boxes.size(),
                                   .to = constants.layer,
                                   .values = {constants.values[i]},
                                   .points = constants.stack.way(i, layer)});
        m_drawing.boxes.push_back(std::move(constants.boxes[i]));
      }
    }
  }

  // Between the drawing and the layout, which only knows the way from top to bottom.
  QSizeF turned(const QSizeF& size) const {
    return m_options.leftToRight ? size.transposed() : size;
  }
  QPointF turned(const LayoutPoint& point) const {
    return m_options.leftToRight ? QPointF(point.y, point.x) : QPointF(point.x, point.y);
  }
  QRectF turned(const LayoutRect& rect) const {
    return {turned(LayoutPoint{rect.left, rect.top}), turned(QSizeF(rect.width, rect.height))};
  }

  // The boxes of a layer's constants, if constants are shown.
  struct LayerConstants {
    ConstantStack stack;
    std::size_t layer = 0;  // its box
    std::vector<DrawnBox> boxes;
    std::vector<ValueId> values;
  };

  const AnalysisResult& m_result;
  const Graph& m_graph;
  const DrawingOptions& m_options;
  BoxSizes m_sizes;
  LayerGraph m_layers;
  ScopeTree m_tree;
  std::vector<std::size_t> m_frame;  // by group: its frame, or none
  std::vector<std::size_t> m_card;   // by group: the group whose card shows it, or none
  std::vector<std::size_t> m_frameGroups;
  std::vector<CompoundGroup> m_compound;
  std::vector<std::vector<std::size_t>> m_layersOfCard;
  std::vector<std::size_t> m_shownAs;  // by box of the layer graph: that of the drawing
  std::vector<std::size_t> m_frameOfBox;
  std::vector<bool> m_upward;
  std::vector<LayerConstants> m_stacks;
  std::vector<std::size_t> m_stackOfBox;  // empty without constants
  GraphDrawing m_drawing;
};

}  // namespace

GraphDrawing buildDrawing(const AnalysisSnapshot& snapshot, const DrawingOptions& options,
                          const QFont& font) {
  return DrawingBuilder(snapshot, options, font).build();
}

}  // namespace quantscope
