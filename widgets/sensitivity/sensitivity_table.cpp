#include "widgets/sensitivity/sensitivity_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/copy/table_actions.h"
#include "widgets/sensitivity/sensitivity_delegate.h"
#include "widgets/sensitivity/sensitivity_model.h"
#include "widgets/sensitivity/sensitivity_order.h"
#include "widgets/tables/filter_field.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/tables/title_header.h"
#include "widgets/words/estimate_words.h"

namespace quantscope {
namespace {

constexpr int kWidths[] = {180, 64, 132, 72, 88, 84, 72, 92, 84, 72};
static_assert(std::size(kWidths) == SensitivityModel::kFirstOutput);
constexpr int kOutputWidth = 110;

}  // namespace

SensitivityTable::SensitivityTable(Selection& selection, QWidget* parent)
    : QWidget(parent),
      m_selection(selection),
      m_model(new SensitivityModel(this)),
      m_order(new SensitivityOrder(this)),
      m_filter(new FilterField),
      m_count(new QLabel),
      m_table(new QTableView),
      m_note(new QLabel) {
  setFocusProxy(m_table);
  buildTable();
  m_count->setForegroundRole(QPalette::PlaceholderText);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 0, 8, 8);
  bar->setSpacing(8);
  bar->addWidget(m_filter, 1);
  bar->addWidget(m_count);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(m_table, 1);
  m_note->setForegroundRole(QPalette::PlaceholderText);
  m_note->setWordWrap(true);
  m_note->setContentsMargins(8, 4, 8, 4);
  m_note->setToolTip(
      tr("ρ is Spearman's rank correlation: 1 where the estimates have the order of the measured "
         "figures, 0 where the two have nothing in common."));
  m_note->hide();
  layout->addWidget(m_note);
  connect(m_filter, &QLineEdit::textChanged, this, &SensitivityTable::applyFilter);
}

void SensitivityTable::buildTable() {
  m_order->setSourceModel(m_model);
  m_table->setHorizontalHeader(new TitleHeader(m_table));
  m_table->setModel(m_order);
  m_table->setItemDelegate(new SensitivityDelegate(m_table));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(SensitivityModel::kWorst, Qt::AscendingOrder);
  showTopWhenSorted(*m_table, *m_table->horizontalHeader());
  dressTable(*m_table);
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->setAccessibleName(tr("Sensitivity of the layers"));
  m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = 0; column < SensitivityModel::kFirstOutput; ++column) {
    m_table->setColumnWidth(column, kWidths[column]);
  }
  tableActions(m_table, QStringLiteral("sensitivity"));
  centreOnActivation(*m_table, m_selection);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &SensitivityTable::pickRows);
}

void SensitivityTable::setState(const SnapshotPtr& analysis, const SensitivityStatePtr& state) {
  {
    const QScopedValueRollback following(m_following, true);
    const int before = m_model->columnCount();
    m_model->setState(analysis, state);
    for (int column = before; column < m_model->columnCount(); ++column) {
      m_table->setColumnWidth(column, kOutputWidth);
    }
  }
  const QString note = analysis && state ? estimateNote(*state) : QString();
  m_note->setText(note);
  m_note->setVisible(!note.isEmpty());
  applyFilter();
}

void SensitivityTable::applyFilter() {
  {
    const QScopedValueRollback following(m_following, true);
    m_order->setFilter(m_filter->filter(ErrorKind::Local));
  }
  m_count->setText(tr("%L1 of %L2 rows").arg(m_order->rowCount()).arg(m_model->rowCount()));
  m_picking = false;
  showSelection();
}

void SensitivityTable::showSelection() {
  if (m_picking) return;
  const QScopedValueRollback following(m_following, true);
  const std::vector<NodeId> nodes = m_selection.current().nodes();
  QItemSelection rows;
  QModelIndex first;
  for (int row = 0; row < m_order->rowCount(); ++row) {
    const QModelIndex index = m_order->index(row, 0);
    const LayerResult* layer = m_model->layerOf(m_order->mapToSource(index).row());
    const bool chosen = layer != nullptr && std::ranges::any_of(nodes, [&](NodeId node) {
                          return std::ranges::find(layer->members, node) != layer->members.end();
                        });
    if (!chosen) continue;
    if (!first.isValid()) first = index;
    rows.select(index, index);
  }
  if (first.isValid()) revealRow(*m_table, first);
  m_table->selectionModel()->select(
      rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void SensitivityTable::pickRows() {
  if (m_following) return;
  std::vector<NodeId> nodes;
  for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) {
    const NodeId node = m_model->nodeAt(m_order->mapToSource(index).row());
    if (node.valid() && std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  if (nodes.empty()) return;
  const QScopedValueRollback picking(m_picking, true);
  m_selection.selectNodes(nodes);
}

}  // namespace quantscope
