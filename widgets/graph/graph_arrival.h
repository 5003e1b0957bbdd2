#pragma once

#include <QPointF>
#include <optional>
#include <string>

#include "base/ids.h"

namespace quantscope {

class GraphCanvas;
class GraphSubjects;

/// The part of the graph to show when the next layout is on screen.
class GraphArrival {
 public:
  /// The item that keeps its place on screen in a new layout.
  struct Anchor {
    std::string scope;
    NodeId owner;  // of a body
    QPointF position;
  };

  void showBeginning() { m_fromTheTop = true; }
  void fit(bool wanted) { m_fit = wanted; }
  void keep(const Anchor& anchor) { m_anchor = anchor; }
  void keepNothing() { m_anchor.reset(); }
  bool keepsPlace() const { return m_anchor.has_value(); }

  /// True where the graph is shown from its beginning.
  bool arrive(GraphCanvas& canvas, const GraphSubjects& subjects);

 private:
  bool keepAnchor(GraphCanvas& canvas, const GraphSubjects& subjects);

  std::optional<Anchor> m_anchor;
  bool m_fromTheTop = true;
  bool m_fit = false;
};

}  // namespace quantscope
