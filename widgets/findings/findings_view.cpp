#include "widgets/findings/findings_view.h"

#include <QEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <QWidgetAction>
#include <algorithm>
#include <utility>

#include "base/number_text.h"
#include "repair/fitting_steps.h"
#include "widgets/copy/table_actions.h"
#include "widgets/findings/accept_button.h"
#include "widgets/findings/evidence_pane.h"
#include "widgets/findings/finding_actions.h"
#include "widgets/findings/finding_delegate.h"
#include "widgets/findings/finding_detail.h"
#include "widgets/findings/finding_filters.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/threshold_form.h"
#include "widgets/look/text.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/title_header.h"
#include "widgets/words/finding_words.h"

namespace quantscope {
namespace {

constexpr int kLeastHeight = 104;  // some rows, whatever the centre asks for
constexpr char kStateTag[] = "findings2";
// With less width the sentence, which also names the layer, needs the room.
constexpr int kRoomForFigures = 1000;
constexpr int kRoomForLayer = 480;
constexpr int kRoomForOneLine = 640;  // of the sentence

}  // namespace

FindingsView::FindingsView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_model(new FindingsModel(this)),
      m_tree(new QTreeView),
      m_delegate(new FindingDelegate(this)),
      m_actions(new FindingActions(m_tree)),
      m_filters(new FindingFilters),
      m_acceptAll(new AcceptButton),
      m_thresholds(new QToolButton),
      m_form(new ThresholdForm),
      m_count(new QLabel),
      m_empty(new QLabel),
      m_remedy(new QPushButton),
      m_pages(new QStackedWidget),
      m_splitter(new QSplitter),
      m_detail(new FindingDetail),
      m_evidence(new EvidencePane(context)) {
  setAccessibleName(tr("Findings"));
  buildTree();
  m_pages->addWidget(m_tree);
  m_pages->addWidget(buildEmptyPage());
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setMinimumHeight(kLeastHeight);
  m_splitter->addWidget(m_pages);
  m_splitter->addWidget(m_detail);
  m_splitter->addWidget(m_evidence);
  m_splitter->setStretchFactor(0, 5);
  m_splitter->setStretchFactor(1, 3);
  m_splitter->setStretchFactor(2, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(0);
  layout->addLayout(buildBar());
  layout->addWidget(m_splitter, 1);
  connectActions();
}

QLayout* FindingsView::buildBar() {
  m_thresholds->setText(tr("Thresholds"));
  m_thresholds->setToolTip(
      tr("The limits from which on the detectors report; the findings follow at once"));
  m_thresholds->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(m_thresholds);
  auto* action = new QWidgetAction(menu);
  action->setDefaultWidget(m_form);
  menu->addAction(action);
  m_thresholds->setMenu(menu);
  m_count->setForegroundRole(QPalette::PlaceholderText);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 8, 8, 8);
  bar->setSpacing(8);
  bar->addWidget(m_filters, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_count, m_thresholds, m_acceptAll})
    bar->addWidget(widget);
  return bar;
}

QWidget* FindingsView::buildEmptyPage() {
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  auto* page = new QWidget;
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->addStretch(1);
  layout->addWidget(m_empty);
  layout->addWidget(m_remedy, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  return page;
}

void FindingsView::buildTree() {
  m_tree->setModel(m_model);
  m_tree->setItemDelegate(m_delegate);
  m_tree->setAllColumnsShowFocus(true);
  m_tree->setFrameShape(QFrame::NoFrame);
  m_tree->setIndentation(12);
  m_tree->setExpandsOnDoubleClick(false);
  m_tree->setAccessibleName(tr("Findings"));
  m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* header = new TitleHeader(m_tree);
  m_tree->setHeader(header);
  header->setStretchLastSection(false);
  header->setSectionsClickable(true);
  header->setSectionResizeMode(FindingsModel::kSentence, QHeaderView::Stretch);
  header->setSortIndicatorClearable(true);
  header->setSortIndicator(-1, Qt::DescendingOrder);
  m_tree->setSortingEnabled(true);
  constexpr std::pair<int, int> kWidths[] = {{FindingsModel::kLayer, 160},
                                             {FindingsModel::kStatistic, 80},
                                             {FindingsModel::kThreshold, 84},
                                             {FindingsModel::kGain, 84}};
  for (const auto& [column, width] : kWidths) header->resizeSection(column, width);
  useSelectionTint(*m_tree);
  m_tree->installEventFilter(this);
}

void FindingsView::connectActions() {
  const QList<QAction*> table = tableActions(m_tree, QStringLiteral("findings"));
  // Copying a finding copies its sentence; this action copies the row.
  table.front()->setText(tr("Copy Row"));
  table.front()->setShortcuts({});
  connect(m_tree, &QWidget::customContextMenuRequested, this, &FindingsView::showContextMenu);
  connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &FindingsView::pick);
  // Also for a row that was current already, whose subject may no longer be selected.
  connect(m_tree, &QTreeView::clicked, this, &FindingsView::follow);
  connect(m_tree, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    const QModelIndex row = index.siblingAtColumn(0);
    if (m_model->finding(row) != nullptr) return goToChosen();
    m_tree->setExpanded(row, !m_tree->isExpanded(row));
  });
  const auto title = [](const QModelIndex& index) { return index.data().toString(); };
  connect(m_tree, &QTreeView::collapsed, this,
          [this, title](const QModelIndex& index) { m_folded.insert(title(index)); });
  connect(m_tree, &QTreeView::expanded, this,
          [this, title](const QModelIndex& index) { m_folded.remove(title(index)); });
  connect(m_model, &QAbstractItemModel::modelReset, this, &FindingsView::unfold);
  connect(m_filters, &FindingFilters::changed, this, &FindingsView::setQuery);
  connect(m_form, &ThresholdForm::changed, this, &FindingsView::thresholdsRequested);
  connect(m_acceptAll, &QPushButton::clicked, this, &FindingsView::acceptAllRequested);
  connect(m_remedy, &QPushButton::clicked, this, [this] {
    if (m_take != nullptr) (this->*m_take)();
  });
  connect(m_detail, &FindingDetail::applyClicked, this, &FindingsView::apply);
  connect(m_detail, &FindingDetail::applyAlikeClicked, this, &FindingsView::applyAlike);
  connect(m_detail, &FindingDetail::dismissClicked, this, &FindingsView::dismiss);
  connect(m_detail, &FindingDetail::repairClicked, this, [this] {
    if (const auto repair = repairOf(chosen())) Q_EMIT repairRequested(*repair);
  });
  connect(m_detail, &FindingDetail::layerClicked, this, &FindingsView::selectLayer);
  connect(m_actions->goTo, &QAction::triggered, this, &FindingsView::goToChosen);
  connect(m_actions->apply, &QAction::triggered, this, &FindingsView::apply);
  connect(m_actions->applyAlike, &QAction::triggered, this, &FindingsView::applyAlike);
  connect(m_actions->dismiss, &QAction::triggered, this, &FindingsView::dismiss);
  connect(m_actions->copy, &QAction::triggered, this, &FindingsView::copyChosen);
  connect(m_actions->onlyLayer, &QAction::triggered, this, &FindingsView::showOnlyLayer);
  connect(m_actions->onlyScope, &QAction::triggered, this, &FindingsView::showOnlyScope);
  connect(m_actions->onlyDetector, &QAction::triggered, this, &FindingsView::showOnlyDetector);
}

void FindingsView::setDismissed(const Dismissed& dismissed) {
  if (dismissed == m_dismissed) return;
  m_dismissed = dismissed;
  refresh();
}

void FindingsView::setRunning(bool running) {
  if (running == m_running) return;
  m_running = running;
  m_model->setPending(m_running);
  if (!canBeSeen()) return refresh();
  describe();
  showChosen();
}

void FindingsView::setAdvice(const KnownAdvicePtr& advice) {
  m_advice = advice;
  describeAdvice();
}

void FindingsView::setFittingGains(const KnownFittingGainsPtr& gains) {
  m_fitting = gains;
  if (canBeSeen()) showChosen();
}

void FindingsView::setCompared(const std::shared_ptr<const DetectorReport>& compared) {
  if (compared == m_compared) return;
  m_compared = compared;
  m_model->setCompared(compared);
  refresh();
}

void FindingsView::setQuery(const FindingsQuery& query) {
  if (query == m_query) return;
  m_query = query;
  m_filters->setQuery(query);
  refresh();
}

// The first snapshots after an edit still have the previous findings.
bool FindingsView::showsTheSame(const AnalysisSnapshot& shown, const AnalysisSnapshot& next) const {
  return shown.detected && shown.detected == next.detected &&
         shown.model.graph == next.model.graph &&
         shown.request.config.detectors == next.request.config.detectors;
}

void FindingsView::showSnapshot() {
  if (!snapshot()) return;
  m_form->setThresholds(*snapshot()->request.config.detectors);
  if (m_graph == snapshot()->model.graph) return;
  // A part of one network says nothing about another one.
  m_graph = snapshot()->model.graph;
  m_folded.clear();
  m_query.place = {};
  m_filters->setQuery(m_query);
}

void FindingsView::showOptions() {
  refill();
}

// The same finding stays chosen; a finding that no longer exists is no longer chosen.
void FindingsView::refill() {
  {
    const QScopedValueRollback following(m_following, true);
    m_model->show(snapshot(), m_dismissed, m_query);
    m_filters->setFindings(snapshot(), dismissedCount());
    const QModelIndex row = m_model->find(m_chosen);
    if (!row.isValid()) {
      m_chosen.clear();
    } else if (row != m_tree->currentIndex().siblingAtColumn(0)) {
      revealRow(*m_tree, row);
    }
  }
  describe();
  showChosen();
}

// After a reset all groups are folded.
void FindingsView::unfold() {
  const QScopedValueRollback following(m_following, true);
  for (int row = 0; row < m_model->rowCount(); ++row) {
    const QModelIndex heading = m_model->index(row, 0);
    m_tree->setExpanded(heading, !m_folded.contains(heading.data().toString()));
  }
  const QModelIndex row = m_model->find(m_chosen);
  if (row.isValid()) revealRow(*m_tree, row);
}

std::size_t FindingsView::dismissedCount() const {
  if (m_dismissed.empty()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      m_model->findings(),
      [this](const Finding& finding) { return m_dismissed.contains(finding.id); }));
}

void FindingsView::describe() {
  const std::vector<Finding>& all = m_model->findings();
  const std::size_t listed = m_model->listed().size();
  if (!snapshot()) {
    offer(tr("Open a model to see what its quantization suffers from."), {}, nullptr);
  } else if (!snapshot()->detected && m_running) {
    offer(tr("Calibrating: the findings come with the first sample."), {}, nullptr);
  } else if (!snapshot()->detected && snapshot()->request.data.empty()) {
    offer(tr("No data yet. Choose samples, and the detectors look at every layer."),
          tr("Choose Data…"), &FindingsView::dataRequested);
  } else if (!snapshot()->detected) {
    offer(tr("Run the analysis, and the detectors look at every layer."), tr("Run"),
          &FindingsView::runRequested);
  } else if (all.empty()) {
    offer(tr("No findings: no detector has anything to say of this configuration."), {}, nullptr);
  } else if (dismissedCount() == all.size()) {
    offer(tr("All findings are dismissed."), tr("Show Them"), &FindingsView::showDismissed);
  } else {
    offer(tr("No finding matches the filter."), tr("Clear Filter"), &FindingsView::clearFilter);
  }
  m_pages->setCurrentIndex(listed + m_model->mendedCount() > 0 ? 0 : 1);
  m_count->setText(tr("%1 of %2").arg(text(grouped(listed)), text(grouped(all.size()))));
  m_count->setToolTip(tr("Findings that are listed, of all that there are"));
  m_count->setVisible(!all.empty());
  m_detail->setVisible(listed > 0);
  describeAdvice();
}

// The button shows the joint effect of the changes once it is measured.
void FindingsView::describeAdvice() {
  const bool complete =
      snapshot() && snapshot()->stage == AnalysisSnapshot::Stage::Complete && !m_running;
  const Advice* advice = m_advice && complete && m_advice->isAbout(*snapshot()) && m_advice->all
                             ? &*m_advice->all
                             : nullptr;
  const double bytes =
      snapshot() ? static_cast<double>(snapshot()->result->summary.quantizedBytes) : 0;
  m_acceptAll->describe(complete, advice, bytes);
}

void FindingsView::offer(const QString& sentence, const QString& remedy,
                         void (FindingsView::*take)()) {
  m_empty->setText(sentence);
  m_remedy->setText(remedy);
  m_remedy->setVisible(take != nullptr);
  m_take = take;
}

void FindingsView::showDismissed() {
  FindingsQuery query = m_query;
  query.withDismissed = true;
  setQuery(query);
}

void FindingsView::clearFilter() {
  setQuery(m_query.unfiltered());
}

const Finding* FindingsView::chosen() const {
  return m_model->finding(m_model->find(m_chosen));
}

void FindingsView::pick(const QModelIndex& index) {
  if (!m_following) follow(index);
}

// Selects the subject of a row in all views.
void FindingsView::follow(const QModelIndex& index) {
  const Finding* mended = m_model->mended(index);
  if (mended != nullptr && mended->node.valid()) selection().selectNode(mended->node);
  const Finding* finding = m_model->finding(index);
  m_chosen = finding == nullptr ? std::string() : finding->id;
  showChosen();
  if (finding == nullptr || !finding->node.valid()) return;
  Selected selected{.node = finding->node, .scope = {}, .value = {}};
  if (!finding->channels.empty()) selected.channel = static_cast<int>(finding->channels.front());
  selection().select(selected);
  selection().requestOpening();
}

void FindingsView::showChosen() {
  const Finding* finding = chosen();
  const bool dismissed = m_dismissed.contains(m_chosen);
  const std::size_t alike = finding == nullptr ? 0 : this->alike(*finding).size();
  const std::optional<FittingRepair> repair = repairOf(finding);
  const bool known = repair && m_fitting && m_fitting->isAbout(*snapshot());
  m_detail->show({finding, dismissed, m_running, repair, known ? m_fitting->find(*repair) : nullptr,
                  alike, snapshot() ? &snapshot()->graph() : nullptr, &m_model->names()});
  m_evidence->show(snapshot(), finding);
  const bool applicable = finding != nullptr && canBeApplied(*finding);
  const bool placed = finding != nullptr && finding->node.valid();
  for (QAction* action : m_actions->all()) action->setEnabled(finding != nullptr);
  m_actions->goTo->setEnabled(placed);
  m_actions->onlyLayer->setEnabled(placed);
  m_actions->apply->setEnabled(applicable);
  m_actions->applyAlike->setEnabled(applicable && alike > 1);
  m_actions->onlyScope->setEnabled(finding != nullptr && !scopeOf(finding->nodeName).empty());
  m_actions->dismiss->setText(dismissed ? tr("&Bring Back") : tr("&Dismiss"));
  if (std::exchange(m_described, m_chosen) != m_chosen) Q_EMIT chosenChanged();
}

std::optional<FittingRepair> FindingsView::repairOf(const Finding* finding) const {
  const bool complete = snapshot() && snapshot()->stage == AnalysisSnapshot::Stage::Complete;
  if (finding == nullptr || !complete || m_running || fittingSteps(*finding).empty()) return {};
  return fittingRepair(*finding, *snapshot()->model.engine, *snapshot()->quantized);
}

// One of the chosen finding's layers, with its own channel.
void FindingsView::selectLayer(NodeId node, int channel) {
  m_visited = node;
  selection().select({.node = node, .scope = {}, .value = {}, .channel = channel});
}

// The chosen finding is about a further layer, which was asked for or has no finding of its own.
bool FindingsView::isAbout(NodeId node) const {
  const Finding* finding = chosen();
  if (finding == nullptr) return false;
  const bool member = std::ranges::find(finding->members, node) != finding->members.end();
  return finding->node == node || (member && (node == m_visited || !m_model->find(node).isValid()));
}

// Another layer was selected elsewhere: its first finding is the one to see.
void FindingsView::showSelection() {
  m_evidence->showChannel();
  const NodeId node = selection().current().node;
  const Finding* mended = m_model->mended(m_tree->currentIndex());
  if (mended != nullptr && mended->node == node) return;
  if (!node.valid() || isAbout(node)) return;
  const QScopedValueRollback following(m_following, true);
  const QModelIndex row = m_model->find(node);
  const Finding* next = m_model->finding(row);
  m_chosen = next == nullptr ? std::string() : next->id;
  if (next == nullptr) {
    m_tree->clearSelection();
    m_tree->setCurrentIndex({});
  } else {
    revealRow(*m_tree, row);
  }
  showChosen();
}

bool FindingsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_tree && event->type() == QEvent::Resize) shareRoom();
  return SnapshotView::eventFilter(watched, event);
}

void FindingsView::shareRoom() {
  const bool narrow = m_tree->width() < kRoomForFigures;
  m_tree->setColumnHidden(FindingsModel::kStatistic, narrow);
  m_tree->setColumnHidden(FindingsModel::kThreshold, narrow);
  m_tree->setColumnHidden(FindingsModel::kLayer, m_tree->width() < kRoomForLayer);
  const int room = m_tree->width() - m_tree->header()->sectionSize(FindingsModel::kGain) -
                   m_tree->header()->sectionSize(FindingsModel::kLayer);
  const int lines = room < kRoomForOneLine ? 2 : 1;
  if (lines == m_delegate->lines()) return;
  m_delegate->setLines(lines);
  m_tree->doItemsLayout();
}

QByteArray FindingsView::saveState() const {
  return QByteArray(kStateTag) + ' ' + QByteArray::number(static_cast<int>(m_query.grouping)) +
         ' ' + m_splitter->saveState().toBase64() + ' ' + m_tree->header()->saveState().toBase64();
}

bool FindingsView::restoreState(const QByteArray& state) {
  const QList<QByteArray> words = state.split(' ');
  if (words.constFirst() != kStateTag || words.size() != 4) return false;
  FindingsQuery query = m_query;
  query.grouping = static_cast<FindingGrouping>(
      std::clamp(words[1].toInt(), 0, static_cast<int>(FindingGrouping::None)));
  setQuery(query);
  m_splitter->restoreState(QByteArray::fromBase64(words[2]));
  m_tree->header()->restoreState(QByteArray::fromBase64(words[3]));
  return true;
}

}  // namespace quantscope
