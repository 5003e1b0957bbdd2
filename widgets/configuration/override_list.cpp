#include "widgets/configuration/override_list.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "precision/edits/type_choices.h"
#include "widgets/configuration/overrides_model.h"
#include "widgets/controls/form_fields.h"
#include "widgets/copy/table_actions.h"
#include "widgets/tables/row_looks.h"
#include "widgets/tables/table_looks.h"
#include "widgets/view/precision_editor.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

constexpr int kMostRowsInSight = 12;
constexpr int kGainWidth = 68;
constexpr int kRemoveWidth = 28;

/// The names of layers in little room: "/features/features.1/depthwise +2" for
/// "/features/features.1/depthwise/conv/Conv +2".
class OverrideNames : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const QString name = index.data(OverridesModel::kRawRole).toString();
    const QString last = name.section(u'/', -1);
    // What only repeats the operator tells no layer from another.
    const bool repeats = last.compare(name.section(u'/', -2, -2), Qt::CaseInsensitive) == 0;
    const qsizetype end = 2 * (last.size() + 1);
    if (repeats && name.size() > end && option->text.startsWith(name)) {
      option->text.remove(name.size() - end, end);
    }
  }
};

}  // namespace

OverrideList::OverrideList(const PrecisionEditor* editor, QWidget* parent)
    : QWidget(parent),
      m_editor(editor),
      m_model(new OverridesModel(this)),
      m_title(new QLabel),
      m_table(new QTableView),
      m_pattern(new QLineEdit),
      m_type(new QComboBox) {
  QFont bold(m_title->font());
  bold.setWeight(QFont::DemiBold);
  m_title->setFont(bold);
  m_table->setModel(m_model);
  dressTable(*m_table);
  useSelectionTint(*m_table);
  m_table->setAccessibleName(tr("Overrides"));
  m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
  tableActions(m_table, QStringLiteral("overrides"));
  m_table->setTextElideMode(Qt::ElideLeft);
  m_table->setItemDelegateForColumn(OverridesModel::kName, new OverrideNames(m_table));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  QHeaderView* header = m_table->horizontalHeader();
  header->setMinimumSectionSize(kRemoveWidth);
  header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(OverridesModel::kName, QHeaderView::Stretch);
  header->setSectionResizeMode(OverridesModel::kPrecision, QHeaderView::ResizeToContents);
  header->resizeSection(OverridesModel::kGain, kGainWidth);
  header->resizeSection(OverridesModel::kRemove, kRemoveWidth);
  m_pattern->setPlaceholderText(tr("Names like .*conv.*"));
  m_pattern->setAccessibleName(tr("Names of a new rule"));
  m_pattern->setToolTip(
      tr("A regular expression for whole names; the rule holds for all layers that match."));
  for (const QuantType type : wholeTypes()) {
    m_type->addItem(typeTitle(type), static_cast<int>(type));
  }
  m_type->setAccessibleName(tr("Type of a new rule"));
  auto* add = new QToolButton;
  add->setText(tr("Add"));
  add->setToolTip(tr("Adds the rule, before those that are there."));
  auto* line = new QHBoxLayout;
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(m_pattern, 1);
  line->addWidget(m_type);
  line->addWidget(add);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(m_title);
  layout->addWidget(m_table);
  layout->addLayout(line);
  connect(m_table, &QAbstractItemView::clicked, this, &OverrideList::click);
  connect(add, &QAbstractButton::clicked, this, &OverrideList::addRule);
  connect(m_pattern, &QLineEdit::returnPressed, this, &OverrideList::addRule);
  connect(m_pattern, &QLineEdit::textChanged, this, &OverrideList::offerTypes);
  if (editor != nullptr) {
    connect(editor, &PrecisionEditor::changed, this, [this] {
      showRows();
      if (!m_pattern->text().isEmpty()) offerTypes();
    });
  }
  offerTypes();
  fitHeight();
}

void OverrideList::setConfig(const PrecisionConfig& config, const Repairs& repairs) {
  m_config = config;
  m_repairs = repairs;
  showRows();
}

void OverrideList::showRows() {
  const auto followed = [this](const std::string& node) {
    const TypeChoices* choices = m_editor == nullptr ? nullptr : m_editor->choices();
    return choices == nullptr ? std::string() : choices->followed(node);
  };
  m_model->setConfig(m_config, followed, m_repairs);
  fitHeight();
}

void OverrideList::setLosses(const ConfigGains& losses) {
  m_model->setLosses(losses);
}

std::vector<ConfigEdit> OverrideList::removals() const {
  std::vector<ConfigEdit> edits;
  for (int row = 0; row < m_model->rowCount(); ++row) edits.push_back(removal(row));
  return edits;
}

ConfigEdit OverrideList::removal(int row) const {
  const ConfigEdit edit = m_model->removal(row);
  return m_editor == nullptr ? edit : m_editor->complete(edit);
}

PrecisionTarget OverrideList::target() const {
  return {PrecisionTarget::Kind::Pattern, {m_pattern->text().trimmed().toStdString()}};
}

// A type that none of the layers takes that the names stand for cannot be chosen.
void OverrideList::offerTypes() {
  std::vector<TypeOffer> offers;
  if (m_editor != nullptr && !m_pattern->text().trimmed().isEmpty()) {
    offers = m_editor->offersFor(target());
  }
  for (int i = 0; i < m_type->count(); ++i) {
    const auto type = static_cast<QuantType>(m_type->itemData(i).toInt());
    const auto offer = std::ranges::find(offers, type, &TypeOffer::type);
    const bool refused = offer != offers.end() && offer->able == 0;
    setChoice(*m_type, i, typeDefinition(type), refused ? offer->refusal : QString());
  }
}

void OverrideList::fitHeight() {
  const int rows = m_model->rowCount();
  m_title->setText(rows == 0 ? tr("No overrides") : tr("Overrides: %L1").arg(rows));
  m_table->setVisible(rows > 0);
  const int row = m_table->verticalHeader()->defaultSectionSize();
  const int header = m_table->horizontalHeader()->sizeHint().height();
  m_table->setFixedHeight(header + row * std::clamp(rows, 1, kMostRowsInSight) + 2);
  if (std::exchange(m_count, rows) != rows) Q_EMIT countChanged();
}

void OverrideList::click(const QModelIndex& index) {
  if (index.column() == OverridesModel::kRemove) {
    Q_EMIT edited(removal(index.row()));
    return;
  }
  Q_EMIT targetChosen(m_model->target(index.row()));
}

void OverrideList::addRule() {
  if (m_pattern->text().trimmed().isEmpty()) return m_pattern->setFocus();
  Q_EMIT ruleRequested(target(), static_cast<QuantType>(m_type->currentData().toInt()));
}

}  // namespace quantscope
