#pragma once

#include <QList>
#include <optional>
#include <string>

#include "widgets/graph/drawing/drawing_options.h"
#include "widgets/graph/graph_arrival.h"
#include "widgets/graph/graph_contents.h"
#include "widgets/graph/graph_subjects.h"
#include "widgets/graph/graph_walk.h"
#include "widgets/view/snapshot_view.h"
#include "widgets/words/match_cursor.h"

class QAction;

namespace quantscope {

class GraphActions;
class GraphCanvas;
class GraphLoader;
class GraphOverlays;
class GraphPointer;

/// The network as a layered drawing, coloured by error.
class GraphView : public SnapshotView {
  Q_OBJECT

 public:
  explicit GraphView(const ViewContext& context, QWidget* parent = nullptr);

  /// The actions on the drawing, for menus and the command palette.
  QList<QAction*> graphActions() const;
  /// Another button over the graph, with words, for an action of the window.
  void addTool(QAction* action, const QString& title);

  /// Findings that are not counted.
  void setDismissed(const Dismissed& dismissed);

  /// Finds layers and values by a part of their name or operator, and findings by one of their
  /// words, whatever its case; "" = none.
  void setSearch(const QString& words);
  void findNext() { goToMatch(1); }
  void findPrevious() { goToMatch(-1); }
  std::size_t matchCount() const { return m_matches.matches().size(); }
  /// Shows the field to search in, and puts the cursor there.
  void focusSearch();

  const DrawingOptions& drawingOptions() const { return m_drawing; }
  void setDrawingOptions(const DrawingOptions& options);

  /// The direction, and whether constants and observers are drawn; collapsed scopes belong to a
  /// model.
  QByteArray saveState() const override;
  bool restoreState(const QByteArray& state) override;

  GraphCanvas& canvas() { return *m_canvas; }
  /// True where the newest layout is on screen, painted as it should be.
  bool settled() const;
  /// True where the canvas shows the newest snapshot, so that its boxes and edges can be looked up
  /// there.
  bool drawingIsCurrent() const;
  /// Layouts that were begun so far.
  int layoutsBegun() const;

 Q_SIGNALS:
  /// Another layout is on screen.
  void drawn();
  /// The user wants the findings of a box to be listed.
  void findingsRequested(const quantscope::FindingsPlace& place);
  /// The search went to a finding.
  void findingFound(const std::string& id);

 protected:
  bool showsTheSame(const AnalysisSnapshot& shown, const AnalysisSnapshot& next) const override;
  void showSnapshot() override;
  void showOptions() override;
  void showSelection() override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void connectCanvas();
  void connectLoader();
  void connectActions();
  void connectSearch();

  const GraphScenePtr& scene() const { return m_contents.scene(); }
  bool newestIsShown() const;
  void clear();
  void layOut();
  void takeScene(const GraphScenePtr& scene);
  void arrive();
  void takeFocus();
  void recolour();
  void highlight();

  void activate(std::size_t box);
  void expand(const DrawnBox& box);
  void collapse(const DrawnFrame& frame);
  void centreSelected();
  void showOnce(const QRectF& area);
  bool revealSelected();
  void openSelected();
  void walkTo(WalkDirection direction);

  void search();
  void goToMatch(int by);
  void showMatch();

  GraphCanvas* m_canvas;
  GraphLoader* m_loader;
  GraphActions* m_actions;
  GraphOverlays* m_overlays;
  GraphPointer* m_pointer;
  GraphSubjects m_subjects;
  GraphContents m_contents;  // of the newest scene; the canvas may still show the one before
  GraphArrival m_arrival;
  MatchCursor m_matches;
  DrawingOptions m_drawing;
  bool m_byDefault = true;  // the model chooses which scopes are collapsed
  bool m_centreOnArrival = false;
  std::optional<Selected> m_left;  // what was selected when another view came in front
  Dismissed m_dismissed;
  Selected m_lastShown;  // the last selection made visible
};

}  // namespace quantscope
