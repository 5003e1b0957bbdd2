#pragma once

#include <QTabWidget>
#include <optional>

#include "ui/window_fixture.h"
#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"
#include "widgets/heatmap/heatmap_canvas.h"
#include "widgets/heatmap/heatmap_view.h"

class QAbstractItemView;
class QTableView;
class QTreeView;

namespace quantscope::test {

/// The views of a window that show the layers.
enum class Spot { Graph, Heatmap, Layers, Ranges, Outline, Inspector };

/// A window with a bundled sample open, and the hands and eyes of someone who uses it: layers are
/// clicked and read off by their place in execution order.
struct Workbench : TestWindow {
  explicit Workbench(const std::string& sample = "digits_mobilenet", std::size_t samples = 2);

  template <class View>
  View& view() const {
    return *window->findChild<View*>();
  }
  GraphCanvas& canvas() const { return view<GraphView>().canvas(); }
  const GraphScene& scene() const { return *canvas().content().scene; }
  HeatmapCanvas& heatmap() const { return view<HeatmapView>().canvas(); }
  QTableView& layers() const;
  QTableView& ranges() const;
  QTreeView& outline() const;

  const LayerResult& layer(std::size_t index) const;
  std::size_t layerCount() const;
  /// By SQNR of the local error, found the plain way.
  std::size_t worstLayer() const;
  std::optional<std::size_t> selectedLayer() const;

  /// Puts a view in front, as far as it is not always there; false where that does not come about.
  bool bringUp(Spot spot) const;
  /// Clicks on a layer where a view shows it; on the inspector, on a link that leads there from
  /// what is selected. False where there is no such thing in sight.
  bool click(Spot spot, std::size_t layer) const;
  /// What a view marks as selected.
  std::optional<std::size_t> shownBy(Spot spot) const;

  /// Clicks on a place of the graph, in pixels of the drawing.
  void clickDrawing(const QPointF& place) const;
  /// Waits until the graph is on screen as it should be.
  bool graphIsSettled() const;
};

/// The row of a view whose cell in `column` reads `words`; −1 = none.
int rowReading(const QAbstractItemView& view, int column, const QString& words);

}  // namespace quantscope::test
