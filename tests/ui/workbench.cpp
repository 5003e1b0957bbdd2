#include "ui/workbench.h"

#include <QDockWidget>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTreeView>

#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/layers/layers_view.h"
#include "widgets/look/text.h"
#include "widgets/outline/outline_model.h"
#include "widgets/outline/outline_view.h"
#include "widgets/ranges/ranges_model.h"
#include "widgets/ranges/ranges_view.h"
#include "widgets/view/layer_index.h"

namespace quantscope::test {
namespace {

bool clickCell(const QAbstractItemView& view, const QModelIndex& index) {
  if (!index.isValid()) return false;
  QCoreApplication::processEvents();  // a view that was just shown has its size now
  const_cast<QAbstractItemView&>(view).scrollTo(index);
  const QRect rect = view.visualRect(index);
  if (!view.viewport()->rect().intersects(rect)) return false;
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, (rect & view.viewport()->rect()).center());
  return true;
}

QModelIndex outlineIndex(const QTreeView& tree, std::size_t layer) {
  const auto& order = static_cast<const QSortFilterProxyModel&>(*tree.model());
  const auto& model = static_cast<const OutlineModel&>(*order.sourceModel());
  const auto item = model.tree().findLayer(layer);
  return item ? order.mapFromSource(model.indexOf(*item)) : QModelIndex();
}

std::optional<std::size_t> outlineLayer(const QTreeView& tree) {
  const QModelIndexList rows = tree.selectionModel()->selectedRows();
  if (rows.size() != 1) return std::nullopt;
  const auto& order = static_cast<const QSortFilterProxyModel&>(*tree.model());
  const auto& model = static_cast<const OutlineModel&>(*order.sourceModel());
  return model.item(order.mapToSource(rows.constFirst())).layer;
}

// Tables whose one selected row says a layer's position or name.
QString selectedCell(const QTableView& table, int column) {
  const QModelIndexList rows = table.selectionModel()->selectedRows(column);
  return rows.size() == 1 ? rows.constFirst().data().toString() : QString();
}

// The first active row of the inspector's tables that reads so.
bool clickLink(const InspectorView& inspector, const QString& words) {
  for (CellTable* table : inspector.findChildren<CellTable*>()) {
    if (!table->isVisible()) continue;
    for (int column = 0; column < table->model()->columnCount(); ++column) {
      const int row = rowReading(*table, column, words);
      if (row < 0) continue;
      const QRect rect = table->visualRect(table->model()->index(row, column));
      QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, rect.center());
      return true;
    }
  }
  return false;
}

}  // namespace

Workbench::Workbench(const std::string& sample, std::size_t samples) {
  window->resize(1600, 1000);
  canvas().setAnimated(false);
  window->session().open(sampleRequest(sample, samples));
  waitForEnd();
}

QTableView& Workbench::layers() const {
  return *view<LayersView>().findChild<QTableView*>();
}

QTableView& Workbench::ranges() const {
  return *view<RangesView>().findChild<QTableView*>();
}

QTreeView& Workbench::outline() const {
  return *view<OutlineView>().findChild<QTreeView*>();
}

const LayerResult& Workbench::layer(std::size_t index) const {
  return window->session().snapshot()->result->layers[index];
}

std::size_t Workbench::layerCount() const {
  return window->session().snapshot()->result->layers.size();
}

std::size_t Workbench::worstLayer() const {
  std::optional<std::size_t> worst;
  const auto sqnr = [this](std::size_t i) { return layer(i).local->total.sqnrDb; };
  for (std::size_t i = 0; i < layerCount(); ++i) {
    if (!layer(i).local || !sqnr(i)) continue;
    if (!worst || *sqnr(i) < *sqnr(*worst)) worst = i;
  }
  return worst.value();
}

std::optional<std::size_t> Workbench::selectedLayer() const {
  const LayerIndex index(*window->session().snapshot()->result);
  return index.find(window->session().selection().current().node);
}

bool Workbench::bringUp(Spot spot) const {
  switch (spot) {
    case Spot::Graph:
      window->tabs().setCurrentIndex(0);
      return graphIsSettled();
    case Spot::Heatmap:
      window->tabs().setCurrentIndex(1);
      return heatmap().isVisible() && heatmap().scene().rows() > 0;
    case Spot::Layers:
      window->tabs().setCurrentIndex(3);
      return layers().isVisible();
    case Spot::Ranges:
      window->tabs().setCurrentIndex(4);
      return ranges().isVisible();
    case Spot::Outline:
      return outline().isVisible();
    default:
      window->findChild<QDockWidget*>(QStringLiteral("inspector"))->raise();
      return view<InspectorView>().isVisible();
  }
}

bool Workbench::click(Spot spot, std::size_t index) const {
  if (!bringUp(spot)) return false;
  const QString name = text(layer(index).name);
  switch (spot) {
    case Spot::Graph: {
      const auto box = scene().boxOfLayer(index);
      if (!box) return false;
      clickDrawing(scene().boxes()[*box].rect.center());
      return true;
    }
    case Spot::Heatmap: {
      const int row = heatmap().scene().shownRow(static_cast<int>(index));
      if (row < 0) return false;
      const HeatmapLayout& cells = heatmap().cellLayout();
      const QRectF cell = cells.rowRect({row, row + 1}) & cells.columnRect({1, 2});
      QTest::mouseClick(heatmap().viewport(), Qt::LeftButton, {}, cell.center().toPoint());
      return true;
    }
    case Spot::Layers: {
      const int row = rowReading(layers(), 0, QString::number(index + 1));
      return clickCell(layers(), layers().model()->index(row, 1));
    }
    case Spot::Ranges: {
      const int row = rowReading(ranges(), RangesModel::kValue, name);
      return clickCell(ranges(), ranges().model()->index(row, RangesModel::kChart));
    }
    case Spot::Outline:
      return clickCell(outline(), outlineIndex(outline(), index));
    default:
      return clickLink(view<InspectorView>(), name);
  }
}

std::optional<std::size_t> Workbench::shownBy(Spot spot) const {
  if (!bringUp(spot)) return std::nullopt;
  switch (spot) {
    case Spot::Graph: {
      const std::vector<std::size_t>& boxes = canvas().selectedBoxes();
      if (boxes.size() != 1) return std::nullopt;
      const std::vector<std::size_t>& stands = scene().boxes()[boxes.front()].layers;
      return stands.size() == 1 ? std::optional(stands.front()) : std::nullopt;
    }
    case Spot::Heatmap: {
      const int row = heatmap().currentRow();
      return row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row));
    }
    case Spot::Layers: {
      const int position = selectedCell(layers(), 0).toInt();
      return position > 0 ? std::optional(static_cast<std::size_t>(position - 1)) : std::nullopt;
    }
    case Spot::Outline:
      return outlineLayer(outline());
    default:
      break;
  }
  const QString words =
      spot == Spot::Ranges
          ? selectedCell(ranges(), RangesModel::kValue)
          : view<InspectorView>().findChild<InspectorSection*>(QStringLiteral("header"))->asText();
  const QStringList lines = words.split(u'\n');
  for (std::size_t i = 0; i < layerCount(); ++i) {
    if (lines.contains(text(layer(i).name))) return i;
  }
  return std::nullopt;
}

void Workbench::clickDrawing(const QPointF& place) const {
  canvas().setView(place, 1);
  if (!graphIsSettled()) return;
  QTest::mouseClick(&canvas(), Qt::LeftButton, {}, canvas().camera().toView(place).toPoint());
}

bool Workbench::graphIsSettled() const {
  return QTest::qWaitFor([this] { return view<GraphView>().settled(); }, kPatienceMs);
}

int rowReading(const QAbstractItemView& view, int column, const QString& words) {
  for (int row = 0; row < view.model()->rowCount(); ++row) {
    if (view.model()->index(row, column).data().toString() == words) return row;
  }
  return -1;
}

}  // namespace quantscope::test
