#include "widgets/models/models_window.h"

#include <QAction>
#include <QActionGroup>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QProgressBar>
#include <QSplitter>
#include <QTableView>
#include <QToolBar>
#include <QVBoxLayout>

#include "widgets/controls/segments.h"
#include "widgets/copy/table_actions.h"
#include "widgets/graph/graph_view.h"
#include "widgets/look/text.h"
#include "widgets/models/layer_reasons.h"
#include "widgets/models/linked_graphs.h"
#include "widgets/models/name_tail.h"
#include "widgets/models/pairs_model.h"
#include "widgets/tables/figure_order.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/words/progress_words.h"

namespace quantscope {
namespace {

constexpr int kNameWidth = 190;
constexpr int kFigureWidth = 124;

QString verdictOf(const ModelComparison& comparison) {
  if (comparison.firstLeaving) {
    const ComparedLayer& layer = comparison.layers[*comparison.firstLeaving];
    return QObject::tr("The first value that leaves the simulation: %1.")
        .arg(text(layer.firstValue));
  }
  if (comparison.suspects.empty()) {
    return QObject::tr("No layer errs more than its types explain.");
  }
  return comparison.suspects.size() == 1
             ? QObject::tr("One layer errs more than its types explain:")
             : QObject::tr("%1 layers err more than their types explain, the worst first:")
                   .arg(comparison.suspects.size());
}

}  // namespace

ModelsWindow::ModelsWindow(const QString& first, const QString& second, QWidget* parent)
    : QMainWindow(parent),
      m_pairs(new PairsModel(this)),
      m_order(new FigureOrder(this)),
      m_headline(new QLabel),
      m_verdict(new QLabel),
      m_suspects(new QListWidget),
      m_reasons(new LayerReasons),
      m_table(new QTableView),
      m_graphs(new LinkedGraphs),
      m_progress(new QProgressBar),
      m_match(new QAction(tr("Match These"), this)),
      m_unmatch(new QAction(tr("No Twin"), this)),
      m_save(new QAction(tr("Save compare.json…"), this)) {
  setWindowTitle(tr("%1 beside %2").arg(second, first));
  resize(1280, 760);
  addTools();
  setCentralWidget(makePage());
  m_headline->setText(tr("Comparing %1 with %2…").arg(second, first));
  connect(m_graphs, &LinkedGraphs::pairSelected, this, &ModelsWindow::selectPair);
  connect(m_suspects, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row < 0) return;
    const auto pair = static_cast<int>(m_comparison.suspects[static_cast<std::size_t>(row)].layer);
    selectPair(pair);
    m_graphs->showPair(pair);
  });
  showCurrent();
}

void ModelsWindow::addTools() {
  QToolBar* bar = addToolBar(tr("Comparison"));
  bar->setMovable(false);
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  auto* kinds = new QActionGroup(this);
  auto* segments = new Segments;
  for (const ErrorKind kind : {ErrorKind::Local, ErrorKind::Accumulated}) {
    QAction* action = kinds->addAction(titleOf(kind));
    action->setCheckable(true);
    action->setChecked(m_graphs->options().kind() == kind);
    action->setToolTip(definitionOf(kind));
    connect(action, &QAction::triggered, this, [this, kind] { m_graphs->options().setKind(kind); });
    segments->addAction(action, kind == ErrorKind::Local ? tr("Own") : tr("Accumulated"));
  }
  bar->addWidget(segments);
  QAction* link = bar->addAction(tr("Linked"));
  link->setCheckable(true);
  link->setChecked(true);
  link->setToolTip(tr("Moving about in one graph moves the other one along."));
  connect(link, &QAction::toggled, m_graphs, &LinkedGraphs::setLinked);
  bar->addSeparator();
  m_match->setToolTip(tr(
      "Says that the layers that are selected in the two graphs are twins, and compares again."));
  m_unmatch->setToolTip(tr("Says that the selected row is no match, and compares again."));
  bar->addAction(m_match);
  bar->addAction(m_unmatch);
  bar->addSeparator();
  m_save->setToolTip(
      tr("Writes the comparison as JSON; `quantscope-cli compare` writes the same."));
  m_save->setShortcut(QKeySequence::Save);
  bar->addAction(m_save);
  auto* space = new QWidget;
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(space);
  m_progress->setMaximumWidth(220);
  m_progress->setTextVisible(false);
  QAction* cancel = new QAction(tr("Cancel"), this);
  cancel->setShortcut(Qt::Key_Escape);
  connect(cancel, &QAction::triggered, this, &ModelsWindow::cancelRequested);
  m_busy = {bar->addWidget(m_progress), cancel};
  bar->addAction(cancel);
  connect(m_save, &QAction::triggered, this, &ModelsWindow::saveRequested);
  connect(m_match, &QAction::triggered, this,
          [this] { Q_EMIT matchRequested(selectedValue(true), selectedValue(false)); });
  connect(m_unmatch, &QAction::triggered, this,
          [this] { Q_EMIT matchRequested(m_pairs->firstValue(currentRow()), QString()); });
}

QWidget* ModelsWindow::makePage() {
  m_order->setSourceModel(m_pairs);
  m_table->setModel(m_order);
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(-1, Qt::AscendingOrder);
  m_table->setAccessibleName(tr("Layers of both models"));
  dressTable(*m_table);
  m_table->setTextElideMode(Qt::ElideLeft);  // names differ at their end
  useSelectionTint(*m_table);
  showTopWhenSorted(*m_table, *m_table->horizontalHeader());
  tableActions(m_table, QStringLiteral("comparison"));
  m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
  for (int column = 0; column < PairsModel::kColumns; ++column) {
    const bool name = column <= PairsModel::kValue;
    m_table->setColumnWidth(column, name ? kNameWidth : kFigureWidth);
  }
  m_table->horizontalHeader()->setStretchLastSection(true);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            showRow(current.isValid() ? m_order->mapToSource(current).row() : -1);
          });
  m_suspects->setWordWrap(true);
  m_suspects->setTextElideMode(Qt::ElideNone);
  m_suspects->setSpacing(4);
  m_suspects->setAccessibleName(tr("Suspects"));
  m_suspects->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(m_suspects, QStringLiteral("suspects"));
  m_suspects->setFrameShape(QFrame::NoFrame);
  auto* verdict = new QWidget;
  auto* column = new QVBoxLayout(verdict);
  column->setContentsMargins(0, 0, 0, 0);
  m_verdict->setMargin(8);
  m_verdict->setWordWrap(true);
  column->addWidget(m_verdict);
  column->addWidget(m_suspects, 1);
  column->addWidget(m_reasons, 1);
  auto* below = new QSplitter(Qt::Horizontal);
  below->addWidget(verdict);
  below->addWidget(m_table);
  below->setSizes({380, 900});
  auto* both = new QSplitter(Qt::Vertical);
  both->addWidget(m_graphs);
  both->addWidget(below);
  both->setSizes({440, 320});
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_headline->setMargin(8);
  m_headline->setWordWrap(true);
  m_headline->setTextFormat(Qt::PlainText);
  layout->addWidget(m_headline);
  layout->addWidget(both, 1);
  return page;
}

void ModelsWindow::showProgress(const Progress& progress) {
  setBusy(true);
  m_progress->setRange(0, static_cast<int>(progress.total));
  m_progress->setValue(static_cast<int>(progress.done));
  m_progress->setToolTip(progressWords(progress));
}

void ModelsWindow::showComparison(const ShownComparison& shown) {
  m_comparison = shown.comparison;
  m_headline->setText(shown.headline);
  m_verdict->setText(verdictOf(m_comparison));
  m_pairs->setComparison(m_comparison);
  {
    const QSignalBlocker quiet(m_suspects);
    m_suspects->clear();
    for (const Suspect& suspect : m_comparison.suspects) {
      const ComparedLayer& layer = m_comparison.layers[suspect.layer];
      auto* item = new QListWidgetItem(nameTail(layer.firstLayer) + u'\n' + text(suspect.reason),
                                       m_suspects);
      item->setToolTip(toolTipText(text(layer.firstLayer)));
    }
  }
  m_graphs->setModels(shown.snapshots);
  setBusy(false);
  showCurrent();
}

void ModelsWindow::showCancelled() {
  showError(tr("The comparison was cancelled."));
}

void ModelsWindow::showError(const QString& sentence) {
  m_headline->setText(sentence);
  setBusy(false);
}

void ModelsWindow::setBusy(bool busy) {
  for (QAction* action : m_busy) action->setVisible(busy);
}

QString ModelsWindow::words() const {
  return m_headline->text() + u'\n' + m_verdict->text();
}

int ModelsWindow::currentRow() const {
  const QModelIndex current = m_table->currentIndex();
  return current.isValid() ? m_order->mapToSource(current).row() : -1;
}

void ModelsWindow::selectPair(int pair) {
  const QSignalBlocker quiet(m_table->selectionModel());
  if (pair < 0) {
    m_table->clearSelection();
    m_table->setCurrentIndex({});
  } else {
    const QModelIndex index = m_order->mapFromSource(m_pairs->index(pair, 0));
    m_table->selectRow(index.row());
    revealRow(*m_table, index);
  }
  m_table->viewport()->update();
  showCurrent();
}

void ModelsWindow::showRow(int row) {
  const int pair = m_pairs->pairOf(row);
  if (pair >= 0) m_graphs->showPair(pair);
  showCurrent();
}

// The output of the layer that is selected in one of the graphs.
QString ModelsWindow::selectedValue(bool first) const {
  const GraphView& view = first ? m_graphs->first() : m_graphs->second();
  const Selection& selection = first ? m_graphs->firstSelection() : m_graphs->secondSelection();
  const SnapshotPtr& snapshot = view.snapshot();
  const auto row =
      snapshot ? LayerIndex(*snapshot->result).find(selection.current().node) : std::nullopt;
  return row ? text(snapshot->result->layers[*row].outputValue) : QString();
}

// What the selected layers allow, and what the detectors say of the current row's.
void ModelsWindow::showCurrent() {
  const int pair = m_pairs->pairOf(currentRow());
  m_reasons->show(m_comparison,
                  pair < 0 ? nullptr : &m_comparison.layers[static_cast<std::size_t>(pair)]);
  m_save->setEnabled(!m_comparison.layers.empty());
  m_unmatch->setEnabled(pair >= 0);
  m_match->setEnabled(!selectedValue(true).isEmpty() && !selectedValue(false).isEmpty());
}

}  // namespace quantscope
