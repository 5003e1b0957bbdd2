#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "jobs/compare/compared_snapshots.h"
#include "widgets/view/display_options.h"
#include "widgets/view/selection.h"

class QSplitter;

namespace quantscope {

class GraphCanvas;
class GraphView;

/// Two networks side by side. If they are linked, one follows the other: the twin of the middle
/// of one is in the middle of the other, at the same scale; and with a layer its twin is
/// selected.
class LinkedGraphs : public QWidget {
  Q_OBJECT

 public:
  explicit LinkedGraphs(QWidget* parent = nullptr);
  ~LinkedGraphs() override;

  /// Without a second model only one graph is drawn.
  void setModels(const ComparedSnapshots& compared);
  void setLinked(bool linked) { m_linked = linked; }
  /// Selects the layers of a pair, and brings the first one to the middle; −1 = none.
  void showPair(int pair);

  DisplayOptions& options() { return m_options; }
  GraphView& first() { return *m_sides[0].view; }
  GraphView& second() { return *m_sides[1].view; }
  /// The selection in the first graph.
  const Selection& firstSelection() const { return m_sides[0].selection; }
  const Selection& secondSelection() const { return m_sides[1].selection; }

 Q_SIGNALS:
  /// A layer of this pair was selected in one of the graphs; −1 = one without a twin, or none.
  void pairSelected(int pair);

 private:
  struct Side {
    Selection selection;
    GraphView* view = nullptr;
    std::vector<int> pairOfRow;  // −1 = without a twin
  };

  Side& other(const Side& side) { return &side == &m_sides[0] ? m_sides[1] : m_sides[0]; }
  std::optional<std::size_t> rowOf(const Side& side, int pair) const;
  int selectedPair(const Side& side) const;
  void selectRow(Side& side, std::optional<std::size_t> row);
  void connectSide(Side& side);
  void follow(const Side& from);
  void findAnchors();
  QPointF twinOf(const QPointF& place, const Side& from) const;

  DisplayOptions m_options;
  Side m_sides[2];
  ComparedSnapshots m_compared;
  std::vector<std::pair<QPointF, QPointF>> m_anchors;  // twins on both drawings
  bool m_linked = true;
  bool m_following = false;
};

}  // namespace quantscope
