#include "ui/window_words.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QTableView>
#include <QTableWidget>
#include <QTreeView>
#include <QUndoView>

#include "app/gui/comparison.h"
#include "widgets/charts/scatter_chart.h"
#include "widgets/compare/compare_view.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/configuration/overrides_model.h"
#include "widgets/findings/findings_view.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/inspector_section.h"
#include "widgets/look/text.h"
#include "widgets/shell/headline_bar.h"

namespace quantscope::test {
namespace {

QString wordsOfModel(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
  QString words;
  for (int row = 0; row < model.rowCount(parent); ++row) {
    for (int column = 0; column < model.columnCount(parent); ++column) {
      words += model.index(row, column, parent).data().toString() + u'\t';
    }
    words += u'\n' + wordsOfModel(model, model.index(row, 0, parent));
  }
  return words;
}

QString wordsOfSelection(const Workbench& window) {
  const Selected& selected = window->session().selection().current();
  return QStringLiteral("selected %1 %2 %3 %4 %5 %6\n")
      .arg(selected.node.index)
      .arg(text(selected.scope))
      .arg(selected.value.index)
      .arg(selected.channel)
      .arg(selected.sample)
      .arg(selected.more.size());
}

QString wordsOfPanels(const Workbench& window) {
  QString words;
  for (const QDockWidget* dock : window->findChildren<QDockWidget*>()) {
    words += dock->objectName() + (dock->isHidden() ? u'-' : u'+');
  }
  return words + u'\n';
}

QString figureWords(const std::optional<Figure>& figure) {
  if (!figure) return QStringLiteral("-\t");
  return figure->kind == Figure::Kind::Value
             ? QString::number(figure->value, 'g', QLocale::FloatingPointShortest) + u'\t'
             : QStringLiteral("absent %1\t").arg(static_cast<int>(figure->kind));
}

// What is drawn, and how it looks.
QString wordsOfGraph(const Workbench& window) {
  const GraphContent& content = window.canvas().content();
  QString words = content.looks->unit + u'\n';
  for (std::size_t i = 0; i < content.scene->boxes().size(); ++i) {
    const DrawnBox& box = content.scene->boxes()[i];
    const BoxLook& look = content.looks->boxes[i];
    words += box.title + u'\t' + figureWords(look.figure) + look.fill.name() + u'\t' +
             QString::number(look.precision ? static_cast<int>(*look.precision) : -1) + u'\t' +
             QString::number(look.findings.count) + u'\n';
  }
  return words;
}

QString wordsOfHeatmap(const Workbench& window) {
  const HeatmapScene& scene = window.heatmap().scene();
  const HeatmapData& data = *scene.data;
  QString words;
  for (int column = 0; column < data.columns(); ++column) words += data.columnName(column) + u'\t';
  for (const int row : scene.order) {
    words += u'\n' + data.row(row).name + u'\t';
    for (int column = 0; column < data.columns(); ++column) {
      words += figureWords(data.figure(row, column));
    }
  }
  return words + u'\n';
}

// Without the gains of the overrides, which are measured while nobody works.
QString wordsOfConfiguration(const Workbench& window) {
  const auto& panel = window.view<ConfigurationPanel>();
  QString words;
  for (const QComboBox* box : panel.findChildren<QComboBox*>()) {
    words += box->objectName() + u' ' + box->currentText() + u'\n';
  }
  for (const QAbstractButton* button : panel.findChildren<QAbstractButton*>()) {
    if (button->isCheckable()) words += button->text() + (button->isChecked() ? u'+' : u'-');
  }
  words += u'\n';
  for (const QTableView* table : panel.findChildren<QTableView*>()) {
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      for (const int column : {OverridesModel::kName, OverridesModel::kPrecision}) {
        words += table->model()->index(row, column).data().toString() + u'\t';
      }
      words += u'\n';
    }
  }
  return words;
}

QString wordsOfComparison(const Workbench& window) {
  auto& view = window.view<CompareView>();
  window->tabs().setCurrentWidget(&view);
  QCoreApplication::processEvents();
  QString words;
  for (const QLabel* label : view.findChildren<QLabel*>()) {
    if (label->isVisible()) words += label->text() + u'\n';
  }
  words += QStringLiteral("%1 points\n").arg(view.findChild<ScatterChart*>()->points().size());
  return words + wordsOfModel(*view.findChild<QTableWidget*>()->model());
}

}  // namespace

QString wordsOf(const Workbench& window) {
  const int tab = window->tabs().currentIndex();
  const DisplayOptions& options = window->session().options();
  QString words = window->windowTitle() + QStringLiteral("\ntab %1\n").arg(tab);
  words += wordsOfSelection(window) + wordsOfPanels(window);
  words += text(options.metric().key) + titleOf(options.kind()) + u'\n';
  for (const HeadlineItem& item : window->headline().items()) {
    words += item.caption + u' ' + item.value + u' ' + item.change + u'\n';
  }
  words += window.action(ActionId::Undo)->text() + window.action(ActionId::Redo)->text() + u'\n';
  words += wordsOfModel(*window->findChild<QUndoView*>()->model());
  words += wordsOfModel(*window.view<FindingsView>().tree().model());
  for (const Spot spot : {Spot::Layers, Spot::Ranges, Spot::Outline, Spot::Inspector}) {
    if (!window.bringUp(spot)) words += QStringLiteral("not in sight\n");
    QCoreApplication::processEvents();
    if (spot == Spot::Layers) words += wordsOfModel(*window.layers().model());
    if (spot == Spot::Ranges) words += wordsOfModel(*window.ranges().model());
    if (spot == Spot::Outline) words += wordsOfModel(*window.outline().model());
    if (spot != Spot::Inspector) continue;
    for (const InspectorSection* section : window->findChildren<InspectorSection*>()) {
      if (section->isVisible()) words += section->asText() + u'\n';
    }
  }
  words += window.bringUp(Spot::Graph) ? wordsOfGraph(window) : QStringLiteral("no graph\n");
  words += window.bringUp(Spot::Heatmap) ? wordsOfHeatmap(window) : QStringLiteral("no heatmap\n");
  words += wordsOfConfiguration(window) + wordsOfComparison(window);
  window->tabs().setCurrentIndex(tab);
  for (const QString& name : window->comparison().names()) words += name + u'\n';
  return words;
}

}  // namespace quantscope::test
