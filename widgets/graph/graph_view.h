#pragma once

#include <QList>
#include <QTimer>
#include <optional>
#include <string>
#include <vector>

#include "widgets/copy/picture_actions.h"
#include "widgets/findings/find_matches.h"
#include "widgets/graph/drawing_options.h"
#include "widgets/graph/graph_painter.h"
#include "widgets/graph/graph_scene.h"
#include "widgets/graph/graph_walk.h"
#include "widgets/view/layer_index.h"
#include "widgets/view/snapshot_view.h"

class QAction;
class QLabel;
class QMenu;

namespace quantscope {

class GraphActions;
class GraphCanvas;
class GraphLegend;
class GraphLoader;
class GraphMinimap;
class GraphSearch;
class GraphToolbar;

/// The network as a layered drawing, coloured by error.
class GraphView : public SnapshotView {
  Q_OBJECT

 public:
  explicit GraphView(const ViewContext& context, QWidget* parent = nullptr);

  /// What can be done to the drawing, for menus and the command palette.
  QList<QAction*> graphActions() const;

  /// Findings that are not counted.
  void setDismissed(const Dismissed& dismissed);

  /// Finds layers and values by a part of their name or operator, and findings by one of their
  /// words, whatever its case; "" = none.
  void setSearch(const QString& words);
  void findNext() { goToMatch(1); }
  void findPrevious() { goToMatch(-1); }
  std::size_t matchCount() const { return m_matches.size(); }
  /// Shows the field to search in, and puts the cursor there.
  void focusSearch();

  const DrawingOptions& drawingOptions() const { return m_drawing; }
  void setDrawingOptions(const DrawingOptions& options);

  /// The direction, and whether constants and observers are drawn; what is collapsed belongs to a
  /// model.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

  GraphCanvas& canvas() { return *m_canvas; }
  /// True where the newest layout is on screen, painted as it should be.
  bool settled() const;
  /// Layouts that were begun so far.
  int layoutsBegun() const { return m_layouts; }

 Q_SIGNALS:
  /// Another layout is on screen.
  void drawn();
  /// The findings of a box are to be listed.
  void findingsRequested(const quantscope::FindingsPlace& place);
  /// The search went to a finding.
  void findingFound(const std::string& id);

 protected:
  bool showsFindings() const override { return true; }
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  /// What keeps its place on screen over a new layout.
  struct Anchor {
    std::string scope;
    NodeId owner;  // of a body
    QPointF position;
  };

  void connectCanvas();
  void connectActions();
  void connectSearch();
  void placeOverlays();
  void showHint(const QString& words);

  bool sameLayers() const;
  /// What the canvas shows is of the newest snapshot: its boxes and edges can be looked up there.
  bool drawingIsCurrent() const;
  void layOut();
  void takeScene(const GraphScenePtr& scene);
  void arrive();
  void takeFocus();
  bool keepAnchor();
  void recolour();
  void highlight();
  std::vector<std::size_t> selectedBoxes() const;
  std::optional<std::size_t> selectedFrame() const;
  std::optional<QPointF> cornerOf(const Anchor& anchor) const;

  Selected selectedBy(const DrawnBox& box) const;
  Selected selectedByEdge(const DrawnEdge& edge) const;
  QString nameOf(const DrawnBox& box) const;
  std::vector<const Finding*> findingsOf(const DrawnBox& box) const;
  FindingsPlace placeOf(const DrawnBox& box) const;
  void activate(std::size_t box);
  void expand(const DrawnBox& box);
  void collapse(const DrawnFrame& frame);
  void centreSelected();
  void showOnce(const QRectF& area);
  bool revealSelected();
  void walkTo(WalkDirection direction);
  void explain();
  void openMenu(const QPoint& position);
  void addBoxActions(QMenu& menu, std::size_t box);
  void addFrameActions(QMenu& menu, std::size_t frame);
  Picture picture() const;

  void search();
  std::vector<std::size_t> matchedBoxes() const;
  void goToMatch(int by);
  void showMatch();

  GraphCanvas* m_canvas;
  GraphLoader* m_loader;
  GraphMinimap* m_minimap;
  GraphLegend* m_legend;
  GraphSearch* m_search;
  GraphActions* m_actions;
  GraphToolbar* m_toolbar;
  QLabel* m_hint;
  QTimer m_hintDelay;
  QTimer m_explainDelay;
  QPoint m_pointer;  // in the canvas

  DrawingOptions m_drawing;
  bool m_byDefault = true;   // the model chooses which scopes are collapsed
  SnapshotPtr m_laidOut;     // whose layers the newest layout was asked for
  GraphScenePtr m_scene;     // the newest one; the canvas may still show the one before
  GraphLooksPtr m_looks;     // of m_scene
  ObserverMarksPtr m_marks;  // likewise; null = not shown
  GraphContent m_shown;      // what the canvas was told last
  LayerIndex m_layerOfNode;
  Dismissed m_dismissed;
  LayerFindings m_findings;
  QString m_words;  // searched for
  std::vector<SearchMatch> m_matches;
  std::optional<std::size_t> m_match;
  std::optional<Anchor> m_anchor;
  bool m_fromTheTop = true;  // the next scene is shown from its beginning
  bool m_fitOnArrival = false;
  bool m_centreOnArrival = false;
  Selected m_lastShown;  // that was brought into sight
  int m_layouts = 0;
};

}  // namespace quantscope
