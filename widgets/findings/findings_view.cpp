#include "widgets/findings/findings_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QWidgetAction>

#include "detectors/detector.h"
#include "export/number_text.h"
#include "widgets/copy/table_actions.h"
#include "widgets/findings/evidence_pane.h"
#include "widgets/findings/finding_delegate.h"
#include "widgets/findings/finding_detail.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/threshold_form.h"
#include "widgets/layers/row_looks.h"
#include "widgets/layers/title_header.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr char kStateTag[] = "findings1";

}  // namespace

FindingsView::FindingsView(const ViewContext& context, QWidget* parent)
    : SnapshotView(context, parent),
      m_model(new FindingsModel(this)),
      m_tree(new QTreeView),
      m_filter(new QLineEdit),
      m_detector(new QComboBox),
      m_grouping(new QComboBox),
      m_showDismissed(new QToolButton),
      m_thresholds(new QToolButton),
      m_form(new ThresholdForm),
      m_count(new QLabel),
      m_empty(new QLabel),
      m_pages(new QStackedWidget),
      m_splitter(new QSplitter),
      m_detail(new FindingDetail),
      m_evidence(new EvidencePane(context)) {
  setAccessibleName(tr("Findings"));
  buildTree();
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMargin(16);
  m_empty->setForegroundRole(QPalette::PlaceholderText);
  m_pages->addWidget(m_tree);
  m_pages->addWidget(m_empty);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->addWidget(m_pages);
  m_splitter->addWidget(m_detail);
  m_splitter->addWidget(m_evidence);
  m_splitter->setStretchFactor(0, 4);
  m_splitter->setStretchFactor(1, 3);
  m_splitter->setStretchFactor(2, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(0);
  layout->addLayout(buildBar());
  layout->addWidget(m_splitter, 1);
  connect(m_detail, &FindingDetail::applyClicked, this, [this] { apply(false); });
  connect(m_detail, &FindingDetail::applyAlikeClicked, this, [this] { apply(true); });
  connect(m_detail, &FindingDetail::dismissClicked, this,
          [this] { Q_EMIT dismissRequested(m_chosen, !m_dismissed.contains(m_chosen)); });
  connect(m_form, &ThresholdForm::changed, this, &FindingsView::thresholdsRequested);
}

QLayout* FindingsView::buildBar() {
  m_filter->setPlaceholderText(tr("Filter by layer, scope or words"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setMaximumWidth(320);
  m_filter->setAccessibleName(tr("Filter findings"));
  m_detector->addItem(tr("All detectors"), QString());
  for (const Detector& detector : allDetectors()) {
    m_detector->addItem(text(detector.title), text(detector.name));
    m_detector->setItemData(m_detector->count() - 1, text(detector.definition), Qt::ToolTipRole);
  }
  m_detector->setAccessibleName(tr("Detector"));
  m_detector->setToolTip(tr("Shows the findings of one detector"));
  for (const QString& title : {tr("By severity"), tr("By layer"), tr("By detector")})
    m_grouping->addItem(title);
  m_grouping->setAccessibleName(tr("Grouping"));
  m_grouping->setToolTip(tr("How the findings are grouped"));
  m_showDismissed->setText(tr("Dismissed"));
  m_showDismissed->setToolTip(tr("Shows also what was put aside"));
  m_showDismissed->setCheckable(true);
  m_thresholds->setText(tr("Thresholds"));
  m_thresholds->setToolTip(tr("From where on the detectors speak up; the findings follow at once"));
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
  bar->addWidget(m_filter, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_detector, m_grouping, m_showDismissed,
                                                         m_thresholds, m_count})
    bar->addWidget(widget);
  bar->addStretch(0);
  const auto query = [this] {
    setQuery({static_cast<FindingGrouping>(m_grouping->currentIndex()), m_filter->text(),
              m_detector->currentData().toString().toStdString(), m_showDismissed->isChecked()});
  };
  connect(m_filter, &QLineEdit::textChanged, this, query);
  connect(m_detector, &QComboBox::currentIndexChanged, this, query);
  connect(m_grouping, &QComboBox::currentIndexChanged, this, query);
  connect(m_showDismissed, &QToolButton::toggled, this, query);
  return bar;
}

void FindingsView::buildTree() {
  m_tree->setModel(m_model);
  m_tree->setItemDelegate(new FindingDelegate(this));
  m_tree->setUniformRowHeights(true);
  m_tree->setAllColumnsShowFocus(true);
  m_tree->setFrameShape(QFrame::NoFrame);
  m_tree->setIndentation(12);
  m_tree->setAccessibleName(tr("Findings"));
  m_tree->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* header = new TitleHeader(m_tree);
  m_tree->setHeader(header);
  header->setStretchLastSection(false);
  header->setSectionResizeMode(FindingsModel::kSentence, QHeaderView::Stretch);
  constexpr std::pair<int, int> kWidths[] = {{FindingsModel::kLayer, 160},
                                             {FindingsModel::kStatistic, 80},
                                             {FindingsModel::kThreshold, 84},
                                             {FindingsModel::kGain, 76}};
  for (const auto& [column, width] : kWidths) header->resizeSection(column, width);
  useSelectionTint(*m_tree);
  tableActions(m_tree, QStringLiteral("findings"));
  connect(m_tree, &QWidget::customContextMenuRequested, this, &FindingsView::showContextMenu);
  connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &FindingsView::pick);
  connect(m_tree, &QTreeView::doubleClicked, this, [this] { selection().requestCentre(); });
  auto* centre = new QShortcut(Qt::Key_Return, m_tree);
  centre->setContext(Qt::WidgetShortcut);
  connect(centre, &QShortcut::activated, this, [this] { selection().requestCentre(); });
}

void FindingsView::setDismissed(const Dismissed& dismissed) {
  if (dismissed == m_dismissed) return;
  m_dismissed = dismissed;
  refill();
}

void FindingsView::setQuery(const FindingsQuery& query) {
  if (query == m_query) return;
  m_query = query;
  const QSignalBlocker quiet[] = {QSignalBlocker(m_filter), QSignalBlocker(m_detector),
                                  QSignalBlocker(m_grouping), QSignalBlocker(m_showDismissed)};
  m_filter->setText(query.words);
  m_detector->setCurrentIndex(std::max(0, m_detector->findData(text(query.detector))));
  m_grouping->setCurrentIndex(static_cast<int>(query.grouping));
  m_showDismissed->setChecked(query.withDismissed);
  refill();
}

void FindingsView::showSnapshot() {
  if (snapshot()) m_form->setThresholds(snapshot()->request.config.detectors);
  refill();
}

// The same finding stays chosen; what the network no longer has is no longer chosen.
void FindingsView::refill() {
  {
    const QScopedValueRollback following(m_following, true);
    m_model->show(snapshot(), m_dismissed, m_query);
    m_tree->expandAll();
    const QModelIndex row = m_model->find(m_chosen);
    if (row.isValid()) revealRow(*m_tree, row);
    if (!row.isValid()) m_chosen.clear();
  }
  describe();
  showChosen();
}

void FindingsView::describe() {
  const std::size_t all = m_model->findings().size();
  const std::size_t listed = m_model->listed();
  if (!snapshot()) {
    m_empty->setText(tr("Open a model to see what its quantization suffers from."));
  } else if (!snapshot()->detected) {
    m_empty->setText(snapshot()->request.data.empty()
                         ? tr("No data yet. Choose samples, and the detectors look at every layer.")
                         : tr("Calibrating: the findings come with the first sample."));
  } else if (all == 0) {
    m_empty->setText(tr("Nothing found: no detector has anything to say of this configuration."));
  } else {
    m_empty->setText(tr("No finding matches, or all of them were put aside."));
  }
  m_pages->setCurrentIndex(listed > 0 ? 0 : 1);
  m_count->setText(tr("%1 of %2 findings").arg(text(grouped(listed)), text(grouped(all))));
  m_count->setVisible(all > 0);
  m_detail->setVisible(listed > 0);
}

const Finding* FindingsView::chosen() const {
  return m_model->finding(m_model->find(m_chosen));
}

void FindingsView::pick(const QModelIndex& index) {
  if (m_following) return;
  const Finding* finding = m_model->finding(index);
  m_chosen = finding == nullptr ? std::string() : finding->id;
  showChosen();
  if (finding == nullptr || !finding->node.valid()) return;
  Selected selected{.node = finding->node, .scope = {}, .value = {}};
  if (!finding->channels.empty()) selected.channel = static_cast<int>(finding->channels.front());
  selection().select(selected);
}

void FindingsView::showChosen() {
  const Finding* finding = chosen();
  m_detail->show(finding, m_dismissed.contains(m_chosen),
                 finding == nullptr ? 0 : alike(*finding).size());
  m_evidence->show(snapshot(), finding);
}

// Another layer was selected elsewhere: its first finding is the one to see.
void FindingsView::showSelection() {
  m_evidence->showChannel();
  const NodeId node = selection().current().node;
  const Finding* finding = chosen();
  if (!node.valid() || (finding != nullptr && finding->node == node)) return;
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

std::vector<const Finding*> FindingsView::alike(const Finding& finding) const {
  std::vector<const Finding*> found;
  for (const Finding& other : m_model->findings()) {
    const bool applies = other.suggestion && !other.suggestion->changes.empty();
    if (other.detector != finding.detector || !applies) continue;
    if (m_model->find(other.id).isValid()) found.push_back(&other);
  }
  return found;
}

void FindingsView::apply(bool all) {
  const Finding* finding = chosen();
  if (finding == nullptr || !finding->suggestion) return;
  std::vector<ConfigChange> changes = finding->suggestion->changes;
  QString what = tr("apply a suggestion to %1").arg(text(finding->nodeName));
  if (all) {
    changes.clear();
    const std::vector<const Finding*> same = alike(*finding);
    for (const Finding* other : same) {
      changes.insert(changes.end(), other->suggestion->changes.begin(),
                     other->suggestion->changes.end());
    }
    what = tr("apply %1 suggestions: %2")
               .arg(same.size())
               .arg(detectorTitle(finding->detector).toLower());
  }
  Q_EMIT applyRequested(changes, what);
}

void FindingsView::showContextMenu(const QPoint& position) {
  QMenu menu(this);
  if (const Finding* finding = chosen()) {
    const bool aside = m_dismissed.contains(finding->id);
    menu.addAction(aside ? tr("Bring Back") : tr("Dismiss"), this,
                   [this, aside] { Q_EMIT dismissRequested(m_chosen, !aside); });
    menu.addSeparator();
  }
  menu.addActions(m_tree->actions());
  menu.exec(m_tree->viewport()->mapToGlobal(position));
}

QByteArray FindingsView::saveState() const {
  return QByteArray(kStateTag) + ' ' + QByteArray::number(static_cast<int>(m_query.grouping)) +
         ' ' + m_splitter->saveState().toBase64() + ' ' + m_tree->header()->saveState().toBase64();
}

bool FindingsView::restoreState(const QByteArray& state) {
  const QList<QByteArray> words = state.split(' ');
  if (words.constFirst() != kStateTag || words.size() != 4) return false;
  FindingsQuery query = m_query;
  query.grouping = static_cast<FindingGrouping>(std::clamp(words[1].toInt(), 0, 2));
  setQuery(query);
  m_splitter->restoreState(QByteArray::fromBase64(words[2]));
  m_tree->header()->restoreState(QByteArray::fromBase64(words[3]));
  return true;
}

}  // namespace quantscope
