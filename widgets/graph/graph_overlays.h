#pragma once

#include <QList>
#include <QTimer>
#include <QWidget>

class QAction;
class QLabel;

namespace quantscope {

class GraphCanvas;
class GraphLegend;
class GraphMinimap;
class GraphSearch;
class GraphToolbar;

/// The overlays of the graph and their places: buttons, search, legend, overview, and a line.
class GraphOverlays : public QObject {
  Q_OBJECT

 public:
  /// Over `view`, which the canvas fills.
  GraphOverlays(GraphCanvas* canvas, const QList<QAction*>& tools, QWidget* view);

  GraphLegend& legend() { return *m_legend; }
  GraphMinimap& minimap() { return *m_minimap; }
  GraphSearch& search() { return *m_search; }

  /// Places the overlays for the current size. In a low view they make room for the graph.
  void place();
  void showTools();
  void hideAll();

  void showHint(const QString& words);
  /// The same in half a second, unless it is hidden before.
  void showHintSoon(const QString& words);
  void hideHint();

  GraphToolbar& toolbar() { return *m_toolbar; }

 private:
  bool legendIsAbove() const;
  void placeMinimap();
  /// At most so wide where it stands at the bottom.
  void placeLegend(int most);
  void placeLegendBelow(const QSize& most);

  QWidget* m_view;
  GraphCanvas* m_canvas;
  GraphMinimap* m_minimap;
  GraphLegend* m_legend;
  GraphSearch* m_search;
  GraphToolbar* m_toolbar;
  QLabel* m_hint;
  QString m_soon;
  QTimer m_hintDelay;
  double m_minimapShare = 1;  // of its largest size, as the graph began
  bool m_boxesBelow = false;  // where the legend would stand, as the graph began
};

}  // namespace quantscope
