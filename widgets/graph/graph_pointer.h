#pragma once

#include <QObject>
#include <QPoint>
#include <QTimer>
#include <functional>

#include "widgets/copy/picture_actions.h"
#include "widgets/graph/drawing/graph_drawing.h"
#include "widgets/view/snapshot_view.h"
#include "widgets/words/finding_groups.h"

class QMenu;

namespace quantscope {

class GraphActions;
class GraphCanvas;
class GraphLegend;
class GraphSubjects;

/// Pointer actions on the graph: clicks select, resting shows a tool tip, the other button opens a
/// menu.
class GraphPointer : public QObject {
  Q_OBJECT

 public:
  /// `current`: true if the canvas's content can be looked up in `subjects`. All outlive it.
  GraphPointer(GraphCanvas* canvas, const GraphActions* actions, const GraphSubjects& subjects,
               const GraphLegend& legend, const ViewContext& context,
               std::function<bool()> current);

  /// Something else is to be said of what is drawn.
  void refresh();

 Q_SIGNALS:
  void expandRequested(const quantscope::DrawnBox& box);
  void collapseRequested(const quantscope::DrawnFrame& frame);
  /// The selection must move to the middle.
  void centreRequested();
  void findingsRequested(const quantscope::FindingsPlace& place);

 private:
  void connectClicks();
  void explain();
  void leavePlace();
  QString words() const;
  void openMenu(const QPoint& position);
  void addBoxActions(QMenu& menu, std::size_t box);
  void addFrameActions(QMenu& menu, std::size_t frame);
  ViewPicture picture() const;

  GraphCanvas* m_canvas;
  const GraphActions* m_actions;
  const GraphSubjects& m_subjects;
  const GraphLegend& m_legend;
  ViewContext m_context;
  std::function<bool()> m_current;
  QPoint m_place;  // where it rests, in the canvas
  QString m_said;  // there, in the tool tip
  QTimer m_rest;
};

}  // namespace quantscope
