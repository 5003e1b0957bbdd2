#include "ui/window_words.h"

#include <QDockWidget>
#include <QTableView>
#include <QTreeView>
#include <QUndoView>

#include "app/gui/comparison.h"
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

}  // namespace

QString wordsOf(const Workbench& window) {
  const int tab = window->tabs().currentIndex();
  const DisplayOptions& options = window->session().options();
  QString words = window->windowTitle() + QStringLiteral("\ntab %1\n").arg(tab);
  words += wordsOfSelection(window) + wordsOfPanels(window);
  words += text(options.metric().key) + titleOf(options.kind()) + u'\n';
  for (const HeadlineItem& item : window->headline().items()) {
    words += item.caption + u' ' + item.value + u'\n';
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
  window->tabs().setCurrentIndex(tab);
  for (const QString& name : window->comparison().names()) words += name + u'\n';
  return words;
}

}  // namespace quantscope::test
