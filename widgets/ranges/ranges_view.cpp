#include "widgets/ranges/ranges_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "base/number_text.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/ranges/range_delegate.h"
#include "widgets/ranges/range_detail.h"
#include "widgets/ranges/range_legend.h"
#include "widgets/ranges/range_picture.h"
#include "widgets/ranges/ranges_header.h"
#include "widgets/ranges/ranges_model.h"
#include "widgets/tables/filter_field.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"

namespace quantscope {
namespace {

QToolButton* makeToggle(const QString& text, const QString& toolTip) {
  auto* button = new QToolButton;
  button->setText(text);
  button->setToolTip(toolTip);
  button->setCheckable(true);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  return button;
}

constexpr int kRoomForWidth = 860;
constexpr int kRoomForMismatch = 640;
constexpr int kLeastForDetail = 240;  // of the height

}  // namespace

RangesView::RangesView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_model(new RangesModel(this)),
      m_order(new RangesOrder(this)),
      m_delegate(new RangeDelegate(m_model, this)),
      m_table(new QTableView),
      m_header(new RangesHeader(m_delegate, m_table)),
      m_filter(new FilterField),
      m_sharedAxis(makeToggle(tr("One axis"),
                              tr("<p>All rows on one logarithmic axis, to compare them. Otherwise "
                                 "every row fills its own linear axis, to compare its bar with its "
                                 "grid.</p>"))),
      m_inner(makeToggle(tr("Inside fused layers"),
                         tr("<p>Show also the values between the operators of fused layers; they "
                            "are never quantized by themselves.</p>"))),
      m_count(new QLabel),
      m_empty(new QLabel),
      m_hint(new QLabel),
      m_pages(new QStackedWidget),
      m_detail(new RangeDetail(context)) {
  buildTable();
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(16);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_hint->setMargin(8);
  m_hint->setWordWrap(true);
  m_hint->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_pages->addWidget(m_table);
  m_pages->addWidget(m_empty);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(m_pages);
  splitter->addWidget(m_detail);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(buildBar());
  layout->addWidget(splitter, 1);
  layout->addWidget(m_hint);
}

QLayout* RangesView::buildBar() {
  m_filter->setMaximumWidth(320);
  m_filter->setMinimumWidth(96);
  m_count->setForegroundRole(QPalette::PlaceholderText);
  m_sharedAxis->setChecked(true);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 8, 8, 8);
  bar->setSpacing(8);
  bar->addWidget(m_filter, 1);
  bar->addWidget(m_count);
  bar->addSpacing(8);
  bar->addWidget(new RangeLegend);
  bar->addStretch(0);
  bar->addWidget(m_inner);
  bar->addWidget(m_sharedAxis);
  connect(m_filter, &QLineEdit::textChanged, this, &RangesView::applyFilter);
  connect(m_inner, &QToolButton::toggled, this, &RangesView::applyFilter);
  connect(m_sharedAxis, &QToolButton::toggled, this, &RangesView::updateAxis);
  return bar;
}

void RangesView::buildTable() {
  m_order->setSourceModel(m_model);
  m_table->setHorizontalHeader(m_header);
  m_table->setModel(m_order);
  setFocusProxy(m_table);
  m_table->setItemDelegate(m_delegate);
  m_table->setSortingEnabled(true);
  showTopWhenSorted(*m_table, *m_header);
  dressTable(*m_table);
  m_table->setAccessibleName(tr("Ranges"));
  m_header->setSectionResizeMode(RangesModel::kChart, QHeaderView::Stretch);
  constexpr std::pair<int, int> kWidths[] = {
      {RangesModel::kPosition, 56}, {RangesModel::kValue, 232}, {RangesModel::kLow, 84},
      {RangesModel::kHigh, 84},     {RangesModel::kWidth, 84},  {RangesModel::kMismatch, 116}};
  for (const auto& [column, width] : kWidths) m_header->resizeSection(column, width);
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  tableActions(m_table, QStringLiteral("ranges"));
  m_table->addActions(pictureActions(m_table, [this] { return picture(); }));

  connect(m_table, &QWidget::customContextMenuRequested, this, &RangesView::showContextMenu);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &RangesView::pickRow);
  centreOnActivation(*m_table, selection());
}

// The bars matter most: where there is little room, figures that they show too give way.
void RangesView::resizeEvent(QResizeEvent* event) {
  SnapshotView::resizeEvent(event);
  m_table->setColumnHidden(RangesModel::kWidth, width() < kRoomForWidth);
  m_table->setColumnHidden(RangesModel::kMismatch, width() < kRoomForMismatch);
  m_header->resizeSection(RangesModel::kValue,
                          width() < kRoomForWidth ? 176 : std::clamp(width() * 3 / 10, 232, 420));
  if (!m_model->rows().empty()) makeRoom();
}

void RangesView::showSnapshot() {
  const QScopedValueRollback following(m_following, true);
  const auto reset =
      connect(m_model, &QAbstractItemModel::modelReset, this, [this] { m_picked = -1; });
  m_model->setSnapshot(snapshot());
  disconnect(reset);
  m_layers = snapshot() ? LayerIndex(*snapshot()->result) : LayerIndex();
  updateAxis();
}

void RangesView::showOptions() {
  m_model->setOther(options().delta() ? options().other() : nullptr);
  applyFilter();
}

void RangesView::updateAxis() {
  m_delegate->setSharedAxis(
      m_sharedAxis->isChecked() ? std::optional(RangeAxis::shared(m_model->rows())) : std::nullopt);
  m_header->viewport()->update();
  m_table->viewport()->update();
}

void RangesView::applyFilter() {
  {
    const QScopedValueRollback following(m_following, true);
    m_order->setFilter(m_filter->filter(options().kind()));
    m_order->showInner(m_inner->isChecked());
  }
  describeCount();
  showSelection();
}

void RangesView::describeCount() {
  const int shown = m_order->rowCount();
  const std::size_t all = m_model->rows().size();
  if (!snapshot()) {
    m_empty->setText(tr("Open a model to see the ranges of its values."));
  } else if (all == 0 && snapshot()->request.data.empty()) {
    m_empty->setText(tr("No data yet. Choose samples, and the range of every value is observed."));
  } else if (all == 0 && options().dataFailed()) {
    m_empty->setText(
        tr("The data could not be used. Choose other data, or mend it and run again."));
  } else if (all == 0) {
    m_empty->setText(tr("Calibrating: the ranges come with the first sample."));
  } else {
    m_empty->setText(tr("No value matches the filter."));
  }
  m_pages->setCurrentIndex(shown > 0 ? 0 : 1);
  m_count->setText(tr("%1 of %2 values")
                       .arg(text(grouped(static_cast<std::size_t>(shown))), text(grouped(all))));
  m_count->setVisible(all > 0);
  makeRoom();
}

// A low view belongs to the table.
void RangesView::makeRoom() {
  const bool room = !m_model->rows().empty() && height() >= kLeastForDetail;
  m_hint->setVisible(room && m_picked < 0);
  const bool detail = room && m_picked >= 0;
  if (detail == m_detail->isVisibleTo(this)) return;
  m_detail->setVisible(detail);
  // Once the table has given room to it.
  QTimer::singleShot(0, m_table, [this] { m_table->scrollTo(m_table->currentIndex()); });
}

int RangesView::selectedRow() const {
  const Selected& selected = selection().current();
  const auto matches = [&](const RangeRow& row) {
    return selected.node.valid() ? row.layer && row.layer == m_layers.find(selected.node)
                                 : selected.value.valid() && row.value == selected.value;
  };
  if (m_picked >= 0 && matches(m_model->row(m_picked))) return m_picked;
  int found = -1;
  for (int row = 0; row < m_model->rowCount(); ++row) {
    if (!matches(m_model->row(row))) continue;
    found = row;
    if (!m_model->row(row).inner) break;  // the first output of the layer
  }
  return found;
}

void RangesView::showSelection() {
  const QScopedValueRollback following(m_following, true);
  m_picked = selectedRow();
  const QModelIndex row =
      m_picked < 0 ? QModelIndex() : m_order->mapFromSource(m_model->index(m_picked, 0));
  if (!row.isValid()) {
    m_table->clearSelection();
    m_table->setCurrentIndex({});
  } else if (m_table->currentIndex().row() != row.row() ||
             !m_table->selectionModel()->isRowSelected(row.row())) {
    revealRow(*m_table, row);
  }
  showDetail();
}

void RangesView::showDetail() {
  if (m_picked < 0) {
    m_hint->setText(hint());
    m_detail->clear();
  } else {
    m_detail->show(snapshot(), m_model->row(m_picked));
  }
  makeRoom();
}

QString RangesView::hint() const {
  const Selected& selected = selection().current();
  if (!snapshot() || (!selected.node.valid() && !selected.value.valid()))
    return tr("Select a value to see its channels, its weights and its batches.");
  const Graph& graph = snapshot()->graph();
  const QString name =
      text(selected.node.valid() ? graph[selected.node].name : graph[selected.value].name);
  return tr("%1 was not observed: no calibration sample reached it, or it holds no floats.")
      .arg(name);
}

void RangesView::pickRow(const QModelIndex& index) {
  if (m_following || !index.isValid()) return;
  m_picked = m_order->mapToSource(index).row();
  const RangeRow& row = m_model->row(m_picked);
  const Selected before = selection().current();
  if (row.node.valid()) {
    selection().selectNode(row.node);
  } else {
    selection().select({.node = {}, .scope = {}, .value = row.value});
  }
  // Another value of the same layer is no other selection.
  if (selection().current() == before) showDetail();
}

void RangesView::showContextMenu(const QPoint& position) {
  QMenu menu(this);
  menu.addActions(m_table->actions());
  menu.exec(m_table->viewport()->mapToGlobal(position));
}

ViewPicture RangesView::picture() const {
  std::vector<int> rows;
  for (int row = 0; row < m_order->rowCount(); ++row)
    rows.push_back(m_order->mapToSource(m_order->index(row, 0)).row());
  return rangePicture(*m_model, *m_delegate, std::move(rows), font(), Theme::of(palette()));
}

}  // namespace quantscope
