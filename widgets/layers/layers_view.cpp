#include "widgets/layers/layers_view.h"

#include <QAction>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include "base/number_text.h"
#include "widgets/copy/table_actions.h"
#include "widgets/layers/layer_delegate.h"
#include "widgets/layers/layer_header.h"
#include "widgets/layers/layers_model.h"
#include "widgets/layers/layers_order.h"
#include "widgets/look/text.h"
#include "widgets/precision/precision_menu.h"
#include "widgets/precision/tensor_menu.h"
#include "widgets/tables/filter_field.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/view/scopes.h"

namespace quantscope {
namespace {

QToolButton* makeColumnsButton(LayerHeader* header, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(LayersView::tr("Columns"));
  button->setToolTip(LayersView::tr("Choose which columns the table shows"));
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  button->setAutoRaise(true);
  auto* menu = new QMenu(button);
  QObject::connect(menu, &QMenu::aboutToShow, header, [menu, header] {
    menu->clear();
    header->fillColumnsMenu(*menu);
  });
  button->setMenu(menu);
  return button;
}

// Colours only where they mean the same for every layer, whatever the unit of its values.
std::vector<std::optional<ErrorScale>> makeScales(const LayersModel& model,
                                                  const DisplayOptions& options) {
  std::vector<std::optional<ErrorScale>> scales;
  for (const LayerColumn& column : layerColumns()) {
    scales.emplace_back();
    if (column.metric == nullptr || ErrorScale(*column.metric, {}, false).stretched()) continue;
    std::vector<Figure> figures;
    const int section = static_cast<int>(scales.size()) - 1;
    const bool needed = options.stretch() || options.delta();
    for (int row = 0; needed && row < model.rowCount(); ++row) {
      const QVariant number = model.index(row, section).data(kExactRole);
      if (number.isValid()) figures.push_back({Figure::Kind::Value, number.toDouble()});
    }
    scales.back() = options.delta() ? ErrorScale::ofDifferences(*column.metric, figures)
                                    : ErrorScale(*column.metric, figures, options.stretch());
  }
  return scales;
}

}  // namespace

LayersView::LayersView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_model(new LayersModel(this)),
      m_order(new LayersOrder(this)),
      m_delegate(new LayerDelegate(this)),
      m_table(new QTableView),
      m_header(new LayerHeader(m_table)),
      m_filter(new FilterField),
      m_count(new QLabel),
      m_empty(new QLabel),
      m_pages(new QStackedWidget) {
  setFocusProxy(m_table);
  buildTable();
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_count->setForegroundRole(QPalette::PlaceholderText);
  m_filter->setMaximumWidth(420);
  m_pages->addWidget(m_table);
  m_pages->addWidget(m_empty);

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 8, 8, 8);
  bar->setSpacing(8);
  bar->addWidget(m_filter, 1);
  bar->addWidget(m_count);
  bar->addStretch(0);
  bar->addWidget(makeColumnsButton(m_header, this));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(m_pages);
  connect(m_filter, &QLineEdit::textChanged, this, &LayersView::applyFilter);
}

void LayersView::buildTable() {
  m_order->setSourceModel(m_model);
  m_table->setHorizontalHeader(m_header);
  m_table->setModel(m_order);
  m_table->setItemDelegate(m_delegate);
  m_table->setSortingEnabled(true);
  showTopWhenSorted(*m_table, *m_header);
  dressTable(*m_table);
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->setAccessibleName(tr("Layers"));
  m_header->resetColumns();
  tableActions(m_table, QStringLiteral("layers"));
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);

  connect(m_table, &QWidget::customContextMenuRequested, this, &LayersView::showContextMenu);
  m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &LayersView::pickRows);
  connect(m_table, &QAbstractItemView::clicked, this, &LayersView::clickCell);
  centreOnActivation(*m_table, selection());
  // Headings of groups keep to the part of their group that can be seen.
  connect(m_table->horizontalScrollBar(), &QScrollBar::valueChanged, m_header->viewport(),
          qOverload<>(&QWidget::update));
}

void LayersView::showSnapshot() {
  const QScopedValueRollback following(m_following, true);
  m_model->setSnapshot(snapshot());
  m_layers = snapshot() ? LayerIndex(*snapshot()->result) : LayerIndex();
}

void LayersView::showOptions() {
  m_model->setOther(options().delta() ? options().other() : nullptr);
  m_delegate->setScales(makeScales(*m_model, options()));
  m_table->viewport()->update();
  applyFilter();
}

void LayersView::applyFilter() {
  {
    const QScopedValueRollback following(m_following, true);
    m_order->setFilter(m_filter->filter(options().kind()));
  }
  describeCount();
  showSelection();
}

void LayersView::describeCount() {
  const int shown = m_order->rowCount();
  const int all = m_model->rowCount();
  if (!snapshot()) {
    m_empty->setText(tr("Open a model to see its layers."));
  } else if (all == 0) {
    m_empty->setText(tr("This model has no layers: it only passes constants and inputs on."));
  } else {
    m_empty->setText(tr("No layer matches the filter."));
  }
  m_pages->setCurrentIndex(shown > 0 ? 0 : 1);
  const QString total = text(grouped(static_cast<std::size_t>(all)));
  m_count->setText(
      tr("%1 of %2 layers").arg(text(grouped(static_cast<std::size_t>(shown))), total));
  m_count->setVisible(all > 0);
}

void LayersView::showSelection() {
  if (m_picking) return;
  const QScopedValueRollback following(m_following, true);
  const Selected& selected = selection().current();
  if (selected.several()) return showSeveral();
  if (!selected.node.valid() && !selected.scope.empty()) return selectScope(selected.scope);
  const auto layer = m_layers.find(selected.node);
  const QModelIndex row =
      layer ? m_order->mapFromSource(m_model->index(static_cast<int>(*layer), 0)) : QModelIndex();
  if (!row.isValid()) {
    m_table->clearSelection();
    m_table->setCurrentIndex({});
    return;
  }
  const int currentRow = m_table->currentIndex().row();
  if (currentRow == row.row() && m_table->selectionModel()->isRowSelected(currentRow) &&
      m_table->selectionModel()->selectedRows().size() == 1) {
    return;
  }
  // A column that can be seen, so that selecting elsewhere does not scroll the table sideways.
  const int column = m_header->logicalIndexAt(m_table->viewport()->width() / 2);
  revealRow(*m_table, row.siblingAtColumn(std::max(column, 0)));
}

void LayersView::selectScope(const std::string& scope) {
  QItemSelection rows;
  QModelIndex first;
  for (int row = 0; row < m_order->rowCount(); ++row) {
    const QModelIndex index = m_order->index(row, 0);
    const std::string& own = m_model->layer(m_order->mapToSource(index).row()).scope;
    if (!isWithinScope(own, scope)) continue;
    if (!first.isValid()) first = index;
    rows.select(index, index);
  }
  m_table->setCurrentIndex({});
  m_table->selectionModel()->select(
      rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  if (first.isValid()) m_table->scrollTo(first);
}

void LayersView::showSeveral() {
  QItemSelection rows;
  for (const NodeId node : selection().current().nodes()) {
    const auto layer = m_layers.find(node);
    if (!layer) continue;
    const QModelIndex row = m_order->mapFromSource(m_model->index(static_cast<int>(*layer), 0));
    rows.select(row, row);
  }
  m_table->selectionModel()->select(
      rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void LayersView::pickRows() {
  if (m_following) return;
  const QModelIndexList rows = m_table->selectionModel()->selectedRows();
  if (rows.isEmpty()) return;
  const QScopedValueRollback picking(m_picking, true);
  std::vector<NodeId> nodes;
  for (const QModelIndex& row : rows) {
    nodes.push_back(m_model->layer(m_order->mapToSource(row).row()).node);
  }
  selection().selectNodes(nodes);
}

// A click on a type opens the list of the other possible types, on a tensor's what it can be set
// to.
void LayersView::clickCell(const QModelIndex& index) {
  const LayerColumn& column = layerColumns()[static_cast<std::size_t>(index.column())];
  const bool several = QGuiApplication::keyboardModifiers() != Qt::NoModifier;
  if (!column.editable || several || precision() == nullptr || precision()->selected().empty())
    return;
  const TensorPart* part = column.tensor ? &partOf(*column.tensor) : nullptr;
  if (part != nullptr && selectedTensor(*precision(), *part).empty()) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  if (part != nullptr) {
    addTensorFields(*menu, *precision(), *part);
  } else {
    addTypes(*menu, *precision());
  }
  menu->popup(m_table->viewport()->mapToGlobal(m_table->visualRect(index).bottomLeft()));
}

void LayersView::showContextMenu(const QPoint& position) {
  QMenu menu(this);
  addPrecisionMenu(menu, precision());
  menu.addActions(m_table->actions());
  menu.addSeparator();
  m_header->fillColumnsMenu(*menu.addMenu(tr("Columns")));
  menu.exec(m_table->viewport()->mapToGlobal(position));
}

QByteArray LayersView::saveState() const {
  return m_header->saveState();
}

bool LayersView::restoreState(const QByteArray& state) {
  const QByteArray before = m_header->saveState();
  const int columns = m_header->count();
  if (!m_header->restoreState(state)) return false;
  if (m_header->count() != columns) {
    m_header->restoreState(before);
    return false;
  }
  m_table->sortByColumn(m_header->sortIndicatorSection(), m_header->sortIndicatorOrder());
  return true;
}

}  // namespace quantscope
