#include "widgets/outline/outline_view.h"

#include <QAction>
#include <QEvent>
#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/copy/table_actions.h"
#include "widgets/outline/outline_delegate.h"
#include "widgets/outline/outline_model.h"
#include "widgets/outline/outline_order.h"
#include "widgets/precision/precision_menu.h"
#include "widgets/tables/filter_field.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/tables/title_header.h"

namespace quantscope {
namespace {

// Rows that fit on a screen.
constexpr std::size_t kMostAtFirst = 60;
constexpr int kFigureWidth = 104;

// True for two scales with the same fixed anchors; other anchors follow the figures.
bool sameColours(const ErrorScale& a, const ErrorScale& b) {
  const auto fixed = [](const ErrorScale& scale) {
    return !scale.stretched() && !scale.showsDifferences();
  };
  return &a.metric() == &b.metric() && fixed(a) && fixed(b);
}

}  // namespace

OutlineView::OutlineView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_model(new OutlineModel(this)),
      m_order(new OutlineOrder(this)),
      m_delegate(new OutlineDelegate(this)),
      m_tree(new QTreeView),
      m_filter(new FilterField),
      m_empty(new QLabel),
      m_pages(new QStackedWidget) {
  buildTree();
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(16);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_pages->addWidget(m_tree);
  m_pages->addWidget(m_empty);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 8, 8, 8);
  bar->addWidget(m_filter);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(m_pages);
  connect(m_filter, &QLineEdit::textChanged, this, &OutlineView::applyFilter);
}

void OutlineView::buildTree() {
  m_order->setSourceModel(m_model);
  m_tree->setModel(m_order);
  m_tree->setItemDelegate(m_delegate);
  m_tree->setUniformRowHeights(true);
  m_tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_tree->setAllColumnsShowFocus(true);
  m_tree->setFrameShape(QFrame::NoFrame);
  m_tree->setIndentation(12);
  m_tree->setAccessibleName(tr("Outline"));
  m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* header = new TitleHeader(m_tree);
  m_tree->setHeader(header);
  header->setSortIndicatorClearable(false);
  header->setStretchLastSection(false);
  header->setMinimumSectionSize(64);
  header->setSectionResizeMode(OutlineModel::kName, QHeaderView::Stretch);
  header->setSectionResizeMode(OutlineModel::kFigure, QHeaderView::Interactive);
  header->resizeSection(OutlineModel::kFigure, kFigureWidth);
  header->setSortIndicator(OutlineModel::kName, Qt::AscendingOrder);
  m_tree->setSortingEnabled(true);
  showTopWhenSorted(*m_tree, *header);
  useSelectionTint(*m_tree);
  tableActions(m_tree, QStringLiteral("outline"));

  connect(m_tree, &QWidget::customContextMenuRequested, this, &OutlineView::showContextMenu);
  connect(m_tree->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &OutlineView::pickRows);
  connect(m_tree, &QTreeView::doubleClicked, this, [this] { selection().requestGraph(); });
  auto* centre = new QShortcut(Qt::Key_Return, m_tree);
  centre->setContext(Qt::WidgetShortcut);
  connect(centre, &QShortcut::activated, this, [this] { selection().requestGraph(); });
}

void OutlineView::changeEvent(QEvent* event) {
  SnapshotView::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  m_tree->setPalette({});
  useSelectionTint(*m_tree);
}

QSize OutlineView::sizeHint() const {
  return {320, 480};
}

QByteArray OutlineView::saveState() const {
  return m_tree->header()->saveState();
}

bool OutlineView::restoreState(const QByteArray& state) {
  QHeaderView* header = m_tree->header();
  if (!header->restoreState(state)) return false;
  m_tree->sortByColumn(header->sortIndicatorSection(), header->sortIndicatorOrder());
  return true;
}

void OutlineView::showSnapshot() {
  const QScopedValueRollback following(m_following, true);
  bool another = false;
  const auto reset =
      connect(m_model, &QAbstractItemModel::modelReset, this, [&another] { another = true; });
  m_model->setSnapshot(snapshot());
  disconnect(reset);
  m_layers = snapshot() ? LayerIndex(*snapshot()->result) : LayerIndex();
  if (!another) return;
  m_filtered = false;
  expandAtFirst();
  m_tree->scrollToTop();
}

void OutlineView::showOptions() {
  {
    const QScopedValueRollback following(m_following, true);
    m_model->showFigures(options());
    if (snapshot()) {
      const ErrorScale scale = options().scale(*snapshot()->result);
      if (!sameColours(scale, m_delegate->scale())) m_tree->viewport()->update();
      m_delegate->setScale(scale);
    }
  }
  applyFilter();
}

void OutlineView::applyFilter() {
  {
    const QScopedValueRollback following(m_following, true);
    LayerFilter filter = m_filter->filter(options().kind());
    const bool filtered = !filter.acceptsAll();
    if (filtered && !m_filtered) m_expandedBefore = expandedScopes();
    if (filtered || m_filtered) m_order->setFilter(std::move(filter));
    if (filtered) {
      m_tree->expandAll();
    } else if (m_filtered) {
      m_tree->collapseAll();
      expandScopes(m_expandedBefore);
    }
    m_filtered = filtered;
  }
  describeEmptiness();
  showSelection();
}

void OutlineView::describeEmptiness() {
  m_empty->setText(!snapshot()                ? tr("Open a model to see what it is made of.")
                   : m_model->rowCount() == 0 ? tr("This model has no layers.")
                                              : tr("No layer matches the filter."));
  m_pages->setCurrentIndex(m_order->rowCount() > 0 ? 0 : 1);
}

// Opens as many levels as fit on a screen, at least the outermost scopes.
void OutlineView::expandAtFirst() {
  const OutlineTree& tree = m_model->tree();
  std::set<OutlineTree::Index> open;
  std::vector<OutlineTree::Index> level = tree[OutlineTree::kRoot].children;
  std::size_t rows = level.size();
  while (!level.empty()) {
    std::vector<OutlineTree::Index> next;
    for (const OutlineTree::Index item : level)
      next.insert(next.end(), tree[item].children.begin(), tree[item].children.end());
    rows += next.size();
    if (rows > kMostAtFirst) break;
    open.insert(level.begin(), level.end());
    level = std::move(next);
  }
  expandScopes(open);
}

std::set<OutlineTree::Index> OutlineView::expandedScopes() const {
  std::set<OutlineTree::Index> expanded;
  const OutlineTree& tree = m_model->tree();
  for (OutlineTree::Index item = 1; item < tree.size(); ++item) {
    if (tree[item].layer) continue;
    if (m_tree->isExpanded(m_order->mapFromSource(m_model->indexOf(item)))) expanded.insert(item);
  }
  return expanded;
}

void OutlineView::expandScopes(const std::set<OutlineTree::Index>& scopes) {
  for (const OutlineTree::Index item : scopes)
    m_tree->expand(m_order->mapFromSource(m_model->indexOf(item)));
}

QModelIndex OutlineView::selectedIndex() const {
  const Selected& selected = selection().current();
  std::optional<OutlineTree::Index> item;
  if (const auto layer = m_layers.find(selected.node)) item = m_model->tree().findLayer(*layer);
  if (!item && !selected.scope.empty()) item = m_model->tree().findScope(selected.scope);
  return item ? m_order->mapFromSource(m_model->indexOf(*item)) : QModelIndex();
}

void OutlineView::showSelection() {
  if (m_picking) return;
  const QScopedValueRollback following(m_following, true);
  if (selection().current().several()) return showSeveral();
  const QModelIndex index = selectedIndex();
  const bool shown = index.isValid() && m_tree->selectionModel()->isSelected(index) &&
                     m_tree->selectionModel()->selectedRows().size() == 1 &&
                     m_tree->currentIndex().siblingAtColumn(0) == index;
  if (shown) return;
  if (index.isValid()) {
    revealRow(*m_tree, index);
  } else {
    m_tree->clearSelection();
    m_tree->setCurrentIndex({});
  }
}

void OutlineView::showSeveral() {
  QItemSelection rows;
  for (const NodeId node : selection().current().nodes()) {
    const auto layer = m_layers.find(node);
    const auto item = layer ? m_model->tree().findLayer(*layer) : std::nullopt;
    if (!item) continue;
    const QModelIndex index = m_order->mapFromSource(m_model->indexOf(*item));
    rows.select(index, index);
  }
  m_tree->selectionModel()->select(rows,
                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

// The layers of a row: of a scope all inside it.
void OutlineView::addLayers(OutlineTree::Index item, std::vector<NodeId>& nodes) const {
  const OutlineTree::Item& row = m_model->tree()[item];
  if (row.layer) {
    const NodeId node = snapshot()->result->layers[*row.layer].node;
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }
  for (const OutlineTree::Index child : row.children) addLayers(child, nodes);
}

void OutlineView::pickRows() {
  if (m_following) return;
  const QModelIndexList rows = m_tree->selectionModel()->selectedRows();
  if (rows.isEmpty()) return;
  const QScopedValueRollback picking(m_picking, true);
  const OutlineTree::Item& first = m_model->item(m_order->mapToSource(rows.constFirst()));
  if (rows.size() == 1 && !first.layer) {
    return selection().select({.node = {}, .scope = first.scope, .value = {}});
  }
  std::vector<NodeId> nodes;
  for (const QModelIndex& row : rows) {
    addLayers(m_model->indexAt(m_order->mapToSource(row)), nodes);
  }
  selection().selectNodes(nodes);
}

void OutlineView::showContextMenu(const QPoint& position) {
  QMenu menu(this);
  addPrecisionMenu(menu, precision());
  connect(menu.addAction(tr("Expand All")), &QAction::triggered, m_tree, &QTreeView::expandAll);
  connect(menu.addAction(tr("Collapse All")), &QAction::triggered, m_tree, &QTreeView::collapseAll);
  menu.addSeparator();
  menu.addActions(m_tree->actions());
  menu.exec(m_tree->viewport()->mapToGlobal(position));
}

}  // namespace quantscope
