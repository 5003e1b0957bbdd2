#include "widgets/sensitivity/profile_pane.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "base/number_text.h"
#include "widgets/controls/flow_layout.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/criteria_field.h"
#include "widgets/tables/name_delegate.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

// Of the last column: the whole reason.
constexpr int kReasonRole = kExactRole + 1;

enum ProfileColumn { kNodeColumn, kTypeColumn, kConfidenceColumn, kWhyColumn, kProfileColumns };

struct ProfileHeading {
  const char* title;
  const char* about;
  int width;
};

constexpr ProfileHeading kProfileHeadings[kProfileColumns] = {
    {QT_TRANSLATE_NOOP("ProfilePane", "Node"),
     QT_TRANSLATE_NOOP("ProfilePane",
                       "The operator that leads a layer, or one fused with it that has another "
                       "type"),
     120},
    {QT_TRANSLATE_NOOP("ProfilePane", "Type"),
     QT_TRANSLATE_NOOP("ProfilePane", "The type with the highest score by the criteria"), 56},
    {QT_TRANSLATE_NOOP("ProfilePane", "Confidence"),
     QT_TRANSLATE_NOOP("ProfilePane",
                       "How sure the choice is, from 0 to 1: less where operators of the kind are "
                       "sensitive, and less for other types than the profile recommends"),
     80},
    {QT_TRANSLATE_NOOP("ProfilePane", "Why"),
     QT_TRANSLATE_NOOP(
         "ProfilePane",
         "The reason of the choice, with the share of accuracy that is expected to be lost and the "
         "expected speed in multiples of float32's"),
     60}};

// The scheme that quantizes activations by the range of each run, or a type.
QString schemeTitle(const std::string& scheme) {
  if (scheme == "dynamic") return ProfilePane::tr("Dynamic");
  const std::optional<QuantType> type = quantTypeFromName(scheme);
  return type ? typeTitle(*type) : text(scheme);
}

QString schemeDefinition(const std::string& scheme) {
  if (scheme == "dynamic") {
    return ProfilePane::tr("Weights in INT8; the range of what goes in is found at run time");
  }
  const std::optional<QuantType> type = quantTypeFromName(scheme);
  return type ? typeDefinition(*type) : QString();
}

// "38 operators in INT16, 20 in INT8", the most first.
QString countWords(const std::vector<ChoiceReason>& nodes) {
  std::map<std::string, std::size_t> counts;
  for (const ChoiceReason& each : nodes) ++counts[each.scheme];
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& entry) { return entry.second; });
  QStringList words;
  for (const auto& [scheme, count] : sorted) {
    const std::string number = words.isEmpty() ? counted(count, "operator") : grouped(count);
    words << ProfilePane::tr("%1 in %2").arg(text(number), schemeTitle(scheme));
  }
  return words.join(QStringLiteral(", "));
}

// What the profile says, and the figures that it expects.
QString reasonWords(const ChoiceReason& choice) {
  QString sentence = text(choice.text);
  if (!sentence.endsWith(u'.')) sentence += u'.';
  return ProfilePane::tr("%1 Expected loss %2, speed %3 ×.")
      .arg(sentence, text(percent(choice.accuracyLoss.value_or(0))), shortText(choice.speedup));
}

}  // namespace

ProfilePane::ProfilePane(QWidget* parent)
    : QWidget(parent),
      m_criteria(new CriteriaField),
      m_adopt(new QPushButton(tr("Adopt"))),
      m_words(new QLabel),
      m_reason(new QLabel),
      m_hint(new QLabel),
      m_nodes(new QTableWidget(0, kProfileColumns)) {
  m_words->setWordWrap(true);
  m_reason->setWordWrap(true);
  m_reason->setTextFormat(Qt::PlainText);
  m_hint->setWordWrap(true);
  m_hint->setAlignment(Qt::AlignCenter);
  m_hint->setForegroundRole(QPalette::PlaceholderText);
  m_nodes->setAccessibleName(tr("Types by profiles"));
  m_nodes->setEditTriggers(QAbstractItemView::NoEditTriggers);
  dressTable(*m_nodes);
  useSelectionTint(*m_nodes);
  m_nodes->horizontalHeader()->setStretchLastSection(true);
  m_nodes->horizontalHeader()->setHighlightSections(false);
  m_nodes->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  for (int column = 0; column < kProfileColumns; ++column) {
    const ProfileHeading& heading = kProfileHeadings[column];
    auto* item = new QTableWidgetItem(tr(heading.title));
    item->setToolTip(tr(heading.about));
    if (column == kConfidenceColumn) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_nodes->setHorizontalHeaderItem(column, item);
    m_nodes->setColumnWidth(column, heading.width);
  }
  m_nodes->setItemDelegateForColumn(kNodeColumn, new NameDelegate(m_nodes));
  m_nodes->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(m_nodes, QStringLiteral("profiles"));
  auto* top = new FlowLayout(8);
  top->addWidget(m_criteria);
  top->addWidget(m_adopt);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(m_words);
  layout->addWidget(m_nodes, 1);
  layout->addWidget(m_reason);
  layout->addWidget(m_hint, 1);
  connect(m_criteria, &CriteriaField::changed, this, &ProfilePane::criteriaChanged);
  connect(m_adopt, &QPushButton::clicked, this, &ProfilePane::adoptRequested);
  connect(m_nodes, &QTableWidget::itemSelectionChanged, this, [this] {
    showReason();
    const QList<QTableWidgetItem*> chosen = m_nodes->selectedItems();
    if (chosen.isEmpty()) return;
    Q_EMIT nodeChosen(m_nodes->item(chosen.front()->row(), kNodeColumn)->text());
  });
  setHint({});
}

void ProfilePane::setHint(const QString& sentence) {
  setChoices({});
  m_hint->setText(sentence);
}

void ProfilePane::setChoices(const std::vector<ChoiceReason>& nodes) {
  const bool any = !nodes.empty();
  for (QWidget* each : {static_cast<QWidget*>(m_words), static_cast<QWidget*>(m_adopt),
                        static_cast<QWidget*>(m_nodes)}) {
    each->setVisible(any);
  }
  m_hint->setVisible(!any);
  m_words->setText(tr("Estimates by kind of operator, nothing is measured. %1, for the backend "
                      "“generic”.")
                       .arg(countWords(nodes)));
  const QSignalBlocker quiet(m_nodes);
  m_nodes->setRowCount(static_cast<int>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) addRow(static_cast<int>(i), nodes[i]);
  showReason();
}

void ProfilePane::addRow(int row, const ChoiceReason& choice) {
  const QString reason = reasonWords(choice);
  auto* node = new QTableWidgetItem(text(choice.node));
  node->setToolTip(toolTipText(text(choice.node)));
  m_nodes->setItem(row, kNodeColumn, node);
  auto* type = new QTableWidgetItem(schemeTitle(choice.scheme));
  type->setToolTip(schemeDefinition(choice.scheme));
  m_nodes->setItem(row, kTypeColumn, type);
  auto* confidence = new QTableWidgetItem(shortText(choice.confidence));
  confidence->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  if (choice.confidence) confidence->setData(kExactRole, *choice.confidence);
  confidence->setToolTip(tr(kProfileHeadings[kConfidenceColumn].about));
  m_nodes->setItem(row, kConfidenceColumn, confidence);
  auto* why = new QTableWidgetItem(text(choice.text));
  why->setToolTip(toolTipText(reason));
  why->setData(kReasonRole, reason);
  m_nodes->setItem(row, kWhyColumn, why);
}

// The table has no room for the whole sentence.
void ProfilePane::showReason() {
  const QList<QTableWidgetItem*> chosen = m_nodes->selectedItems();
  const int row = chosen.isEmpty() ? -1 : chosen.front()->row();
  m_reason->setVisible(row >= 0);
  if (row >= 0) m_reason->setText(m_nodes->item(row, kWhyColumn)->data(kReasonRole).toString());
}

void ProfilePane::setRefusal(const QString& refusal) {
  m_adopt->setEnabled(refusal.isEmpty());
  m_adopt->setToolTip(refusal.isEmpty()
                          ? tr("Makes these types the configuration of the window, in one step")
                          : refusal);
}

void ProfilePane::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  Q_EMIT shown();
}

}  // namespace quantscope
