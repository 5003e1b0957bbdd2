#include "widgets/findings/finding_filters.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <set>

#include "detectors/detector.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/words/finding_places.h"

namespace quantscope {
namespace {

constexpr int kLeastLetters = 9;
constexpr int kNarrowest = 72;
constexpr int kWidest = 200;
constexpr int kMostChoices = 24;

QComboBox* makeBox(const QString& name, const QString& toolTip) {
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setToolTip(toolTip);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(kLeastLetters);
  box->setMaxVisibleItems(kMostChoices);
  box->setMinimumWidth(kNarrowest);
  box->setMaximumWidth(kWidest);
  return box;
}

// Scopes of the layers that have findings, outer ones too.
QStringList scopesOf(const SnapshotPtr& snapshot) {
  std::set<std::string> scopes;
  if (snapshot && snapshot->detected) {
    for (const Finding& finding : snapshot->detected->findings) {
      std::string scope = scopeOf(finding.nodeName);
      while (!scope.empty() && scopes.insert(scope).second) scope = scopeOf(scope);
    }
  }
  QStringList names;
  for (const std::string& scope : scopes) names << text(scope);
  return names;
}

}  // namespace

FindingFilters::FindingFilters(QWidget* parent)
    : QWidget(parent),
      m_words(new QLineEdit),
      m_severity(makeBox(tr("Severity"), tr("Lists the findings of one severity"))),
      m_detector(makeBox(tr("Detector"), tr("Lists the findings of one detector"))),
      m_place(makeBox(tr("Part of the network"), tr("Lists the findings of one scope"))),
      m_clear(new QToolButton),
      m_grouping(makeBox(tr("Grouping"), tr("How the findings are grouped"))),
      m_showDismissed(new QToolButton) {
  m_words->setPlaceholderText(tr("Filter by layer, scope or words"));
  m_words->setClearButtonEnabled(true);
  m_words->setMinimumWidth(120);
  m_words->setMaximumWidth(320);
  m_words->setAccessibleName(tr("Filter findings"));
  m_words->setToolTip(tr("Lists the findings that hold all of these words"));
  m_severity->addItem(tr("All severities"), -1);
  for (const Severity severity : {Severity::Critical, Severity::Warning, Severity::Info})
    m_severity->addItem(titleOf(severity), static_cast<int>(severity));
  fillDetectors();
  fillPlaces();
  for (const QString& title :
       {tr("By severity"), tr("By layer"), tr("By detector"), tr("Not grouped")})
    m_grouping->addItem(title);
  m_clear->setIcon(icon(QStringLiteral("close")));
  m_clear->setToolTip(tr("Lists the findings of all layers, detectors and severities again"));
  m_clear->setAccessibleName(tr("Clear filter"));
  m_clear->setVisible(false);
  m_showDismissed->setText(tr("Dismissed"));
  m_showDismissed->setToolTip(tr("Lists dismissed findings too"));
  m_showDismissed->setCheckable(true);
  m_showDismissed->setVisible(false);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(8);
  layout->addWidget(m_words, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_severity, m_detector, m_place, m_clear,
                                                         m_grouping, m_showDismissed})
    layout->addWidget(widget);
  layout->addStretch(0);
  connectFields();
}

void FindingFilters::fillDetectors() {
  m_detector->addItem(tr("All detectors"), QString());
  for (const Detector& detector : allDetectors()) {
    m_detector->addItem(text(detector.title), text(detector.name));
    m_detector->setItemData(m_detector->count() - 1, text(detector.definition), Qt::ToolTipRole);
  }
}

// A layer, or a place without a finding, is offered only while it is chosen.
void FindingFilters::fillPlaces() {
  const QSignalBlocker quiet(m_place);
  m_place->clear();
  m_place->addItem(tr("Everywhere"));
  const QString& chosen = m_query.place.title;
  if (!m_query.place.nodes.empty() && !m_scopes.contains(chosen)) m_place->addItem(chosen);
  m_place->addItems(m_scopes);
  for (int i = 1; i < m_place->count(); ++i)
    m_place->setItemData(i, m_place->itemText(i), Qt::ToolTipRole);
  m_place->setCurrentIndex(m_query.place.nodes.empty() ? 0 : m_place->findText(chosen));
}

void FindingFilters::connectFields() {
  const auto edit = [this](auto change) {
    return [this, change](auto value) {
      FindingsQuery query = m_query;
      change(query, value);
      choose(query);
    };
  };
  connect(m_words, &QLineEdit::textChanged, this,
          edit([](FindingsQuery& query, const QString& words) { query.words = words; }));
  connect(m_severity, &QComboBox::activated, this, edit([this](FindingsQuery& query, int index) {
            query.severity.reset();
            if (index > 0) query.severity = Severity(m_severity->itemData(index).toInt());
          }));
  connect(m_detector, &QComboBox::activated, this, edit([this](FindingsQuery& query, int index) {
            query.detector = m_detector->itemData(index).toString().toStdString();
          }));
  connect(m_place, &QComboBox::activated, this, edit([this](FindingsQuery& query, int index) {
            const QString title = m_place->itemText(index);
            if (index == 0) {
              query.place = {};
            } else if (title != query.place.title && m_snapshot) {
              query.place = placeOfScope(*m_snapshot, title.toStdString());
            }
          }));
  connect(m_grouping, &QComboBox::activated, this, edit([](FindingsQuery& query, int index) {
            query.grouping = static_cast<FindingGrouping>(index);
          }));
  connect(m_showDismissed, &QToolButton::toggled, this,
          edit([](FindingsQuery& query, bool shown) { query.withDismissed = shown; }));
  connect(m_clear, &QToolButton::clicked, this, [this] { choose(m_query.unfiltered()); });
}

void FindingFilters::choose(const FindingsQuery& query) {
  if (query == m_query) return;
  setQuery(query);
  Q_EMIT changed(m_query);
}

void FindingFilters::setQuery(const FindingsQuery& query) {
  const bool elsewhere = query.place != m_query.place;
  m_query = query;
  const QSignalBlocker quiet[] = {QSignalBlocker(m_words), QSignalBlocker(m_showDismissed)};
  if (m_words->text() != query.words) m_words->setText(query.words);
  m_severity->setCurrentIndex(
      query.severity ? m_severity->findData(static_cast<int>(*query.severity)) : 0);
  m_detector->setCurrentIndex(std::max(0, m_detector->findData(text(query.detector))));
  m_grouping->setCurrentIndex(static_cast<int>(query.grouping));
  m_showDismissed->setChecked(query.withDismissed);
  m_clear->setVisible(query.filters());
  if (elsewhere) fillPlaces();
}

void FindingFilters::setFindings(const SnapshotPtr& snapshot, std::size_t dismissed) {
  m_snapshot = snapshot;
  const QStringList scopes = scopesOf(snapshot);
  if (scopes != std::exchange(m_scopes, scopes)) fillPlaces();
  m_showDismissed->setText(dismissed == 0 ? tr("Dismissed") : tr("Dismissed (%1)").arg(dismissed));
  m_showDismissed->setVisible(dismissed > 0 || m_query.withDismissed);
}

}  // namespace quantscope
