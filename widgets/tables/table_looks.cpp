#include "widgets/tables/table_looks.h"

#include <QHeaderView>
#include <QShortcut>
#include <QTableView>

#include "widgets/view/selection.h"

namespace quantscope {

void dressTable(QTableView& table) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.setFrameShape(QFrame::NoFrame);
  table.setWordWrap(false);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
}

void showTopWhenSorted(QAbstractItemView& view, const QHeaderView& header) {
  QObject::connect(&header, &QHeaderView::sortIndicatorChanged, &view,
                   &QAbstractItemView::scrollToTop);
}

void centreOnActivation(QAbstractItemView& view, Selection& selection) {
  QObject::connect(&view, &QAbstractItemView::doubleClicked, &selection, &Selection::requestGraph);
  auto* centre = new QShortcut(Qt::Key_Return, &view);
  centre->setContext(Qt::WidgetShortcut);
  QObject::connect(centre, &QShortcut::activated, &selection, &Selection::requestGraph);
}

}  // namespace quantscope
