#include "layout/compound_layout.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace quantscope {
namespace {

// One group's own drawing. Its boxes are those directly in it, the groups directly in it, and
// ports: boxes without size in the first and the last row, where edges cross the border.
struct Sheet {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutEdge> edges;
  std::vector<std::size_t> sources;                      // per edge: the compound's box
  std::unordered_map<std::size_t, std::size_t> entries;  // source → port
  std::unordered_map<std::size_t, std::size_t> exits;
  std::map<std::array<std::size_t, 3>, std::size_t> edgeOf;  // from, to, source → edge
  std::vector<std::size_t> groupOfBox;                       // 0 = not a group
  GraphLayout layout;
  LayoutPoint origin;  // of the drawing inside the frame
  LayoutBox frame;
};

struct Piece {
  std::size_t group = 0;
  std::size_t edge = 0;
};

class Compound {
 public:
  Compound(std::span<const CompoundGroup> groups, std::span<const CompoundBox> boxes)
      : m_groups(groups), m_boxes(boxes), m_sheets(groups.size()), m_depths(groups.size(), 0) {
    for (std::size_t group = 1; group < groups.size(); ++group) {
      m_depths[group] = m_depths[groups[group].parent] + 1;
    }
    m_boxInSheet.reserve(boxes.size());
    for (const CompoundBox& box : boxes) {
      m_boxInSheet.push_back(add(m_sheets[box.group], box.size, 0));
    }
    m_groupInSheet.resize(groups.size(), 0);
    for (std::size_t group = 1; group < groups.size(); ++group) {
      m_groupInSheet[group] = add(m_sheets[groups[group].parent], {}, group);
    }
  }

  CompoundLayout layOut(std::span<const LayoutEdge> edges) {
    std::vector<std::vector<Piece>> pieces;
    for (const LayoutEdge& edge : edges) pieces.push_back(cut(edge));
    // Groups come after their parents.
    for (std::size_t group = m_sheets.size(); group-- > 0;) draw(group);

    CompoundLayout layout;
    placeGroups(layout);
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
      layout.boxes.push_back(rectIn(layout, m_boxes[i].group, m_boxInSheet[i], m_boxes[i].size));
    }
    for (const std::vector<Piece>& route : pieces) layout.routes.push_back(join(layout, route));
    return layout;
  }

 private:
  static std::size_t add(Sheet& sheet, const LayoutBox& box, std::size_t group) {
    sheet.boxes.push_back(box);
    sheet.groupOfBox.push_back(group);
    return sheet.boxes.size() - 1;
  }

  static std::size_t port(Sheet& sheet, std::unordered_map<std::size_t, std::size_t>& ports,
                          std::size_t source, LayoutPin pin) {
    const auto [known, added] = ports.try_emplace(source, sheet.boxes.size());
    if (added) add(sheet, {.pin = pin}, 0);
    return known->second;
  }

  Piece piece(std::size_t group, std::size_t from, std::size_t to, std::size_t source) {
    Sheet& sheet = m_sheets[group];
    const auto [known, added] = sheet.edgeOf.try_emplace({from, to, source}, sheet.edges.size());
    if (added) {
      sheet.edges.push_back({.from = from, .to = to});
      sheet.sources.push_back(source);
    }
    return {group, known->second};
  }

  // The way of an edge out of the groups of its source and into those of its target.
  std::vector<Piece> cut(const LayoutEdge& edge) {
    std::vector<Piece> out;
    std::vector<Piece> in;
    std::size_t from = m_boxInSheet[edge.from];
    std::size_t to = m_boxInSheet[edge.to];
    std::size_t source = m_boxes[edge.from].group;
    std::size_t target = m_boxes[edge.to].group;
    while (source != target) {
      if (m_depths[source] >= m_depths[target]) {
        Sheet& sheet = m_sheets[source];
        const std::size_t exit = port(sheet, sheet.exits, edge.from, LayoutPin::Last);
        out.push_back(piece(source, from, exit, edge.from));
        from = m_groupInSheet[source];
        source = m_groups[source].parent;
      } else {
        Sheet& sheet = m_sheets[target];
        const std::size_t entry = port(sheet, sheet.entries, edge.from, LayoutPin::First);
        in.push_back(piece(target, entry, to, edge.from));
        to = m_groupInSheet[target];
        target = m_groups[target].parent;
      }
    }
    out.push_back(piece(source, from, to, edge.from));
    out.insert(out.end(), in.rbegin(), in.rend());
    return out;
  }

  // Offset of a port from the centre of the frame.
  static double portOffset(const Sheet& sheet, std::size_t port) {
    return sheet.origin.x + sheet.layout.centres[port].x - sheet.frame.width / 2;
  }

  // The axis that the frame is aligned by: the middle one of its ports.
  static double axisOf(const Sheet& sheet) {
    std::vector<double> offsets;
    for (const auto& [source, entry] : sheet.entries) offsets.push_back(portOffset(sheet, entry));
    for (const auto& [source, exit] : sheet.exits) offsets.push_back(portOffset(sheet, exit));
    if (offsets.empty()) return 0;
    std::ranges::sort(offsets);
    return (offsets[(offsets.size() - 1) / 2] + offsets[offsets.size() / 2]) / 2;
  }

  void draw(std::size_t group) {
    Sheet& sheet = m_sheets[group];
    for (std::size_t i = 0; i < sheet.boxes.size(); ++i) {
      const std::size_t inner = sheet.groupOfBox[i];
      if (inner == 0) continue;
      sheet.boxes[i] = m_sheets[inner].frame;
    }
    for (std::size_t i = 0; i < sheet.edges.size(); ++i) attach(sheet, i);
    sheet.layout = layoutGraph(sheet.boxes, sheet.edges);

    const CompoundGroup& style = m_groups[group];
    const double before = sheet.entries.empty() ? style.before : 0;
    const double after = sheet.exits.empty() ? style.after : 0;
    const double width = style.left + sheet.layout.width + style.right;
    const double height = before + sheet.layout.height + after;
    sheet.frame.width = std::max(width, style.minWidth);
    sheet.frame.height = std::max(height, style.minHeight);
    sheet.origin = {style.left + (sheet.frame.width - width) / 2, before};
    sheet.frame.axis = axisOf(sheet);
  }

  void attach(Sheet& sheet, std::size_t index) const {
    LayoutEdge& edge = sheet.edges[index];
    const std::size_t source = sheet.sources[index];
    edge.leave = sheet.boxes[edge.from].axis;
    edge.arrive = sheet.boxes[edge.to].axis;
    if (const std::size_t inner = sheet.groupOfBox[edge.from]; inner != 0) {
      edge.leave = portOffset(m_sheets[inner], m_sheets[inner].exits.at(source));
    }
    if (const std::size_t inner = sheet.groupOfBox[edge.to]; inner != 0) {
      edge.arrive = portOffset(m_sheets[inner], m_sheets[inner].entries.at(source));
    }
  }

  LayoutPoint originOf(const CompoundLayout& layout, std::size_t group) const {
    const LayoutPoint inside = m_sheets[group].origin;
    return {layout.groups[group].left + inside.x, layout.groups[group].top + inside.y};
  }

  LayoutRect rectIn(const CompoundLayout& layout, std::size_t group, std::size_t box,
                    const LayoutBox& size) const {
    const LayoutPoint origin = originOf(layout, group);
    const LayoutPoint centre = m_sheets[group].layout.centres[box];
    return {origin.x + centre.x - size.width / 2, origin.y + centre.y - size.height / 2, size.width,
            size.height};
  }

  void placeGroups(CompoundLayout& layout) const {
    layout.groups.push_back({0, 0, m_sheets.front().frame.width, m_sheets.front().frame.height});
    for (std::size_t group = 1; group < m_sheets.size(); ++group) {
      layout.groups.push_back(
          rectIn(layout, m_groups[group].parent, m_groupInSheet[group], m_sheets[group].frame));
    }
  }

  std::vector<LayoutPoint> join(const CompoundLayout& layout,
                                const std::vector<Piece>& pieces) const {
    std::vector<LayoutPoint> route;
    for (const Piece& piece : pieces) {
      const LayoutPoint origin = originOf(layout, piece.group);
      for (const LayoutPoint& point : m_sheets[piece.group].layout.routes[piece.edge]) {
        append(route, {origin.x + point.x, origin.y + point.y});
      }
    }
    return route;
  }

  // Pieces meet at borders; sums of different terms differ in their last bits there.
  static void append(std::vector<LayoutPoint>& route, LayoutPoint point) {
    constexpr double kSame = 1e-6;
    const auto near = [](double a, double b) { return std::abs(a - b) < kSame; };
    const std::size_t n = route.size();
    if (n >= 1 && near(route[n - 1].x, point.x)) {
      point.x = route[n - 1].x;
      if (near(route[n - 1].y, point.y)) return;
      if (n >= 2 && route[n - 2].x == point.x) {
        route[n - 1] = point;
        return;
      }
    }
    route.push_back(point);
  }

  std::span<const CompoundGroup> m_groups;
  std::span<const CompoundBox> m_boxes;
  std::vector<Sheet> m_sheets;
  std::vector<std::size_t> m_depths;
  std::vector<std::size_t> m_boxInSheet;
  std::vector<std::size_t> m_groupInSheet;
};

}  // namespace

CompoundLayout layoutCompound(std::span<const CompoundGroup> groups,
                              std::span<const CompoundBox> boxes,
                              std::span<const LayoutEdge> edges) {
  return Compound(groups, boxes).layOut(edges);
}

}  // namespace quantscope
