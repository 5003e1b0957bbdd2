#include "widgets/sensitivity/budget_field.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <array>

namespace quantscope {
namespace {

// How a kind of budget is shown: as a figure in its unit, `scale` times what a goal holds.
struct KindLooks {
  SearchGoal::Kind kind;
  const char* title;
  const char* about;
  const char* suffix;
  double scale;
  double least;
  double most;
  int decimals;
  double limit;  // to begin with
};

using Kind = SearchGoal::Kind;

constexpr std::array<KindLooks, 5> kKinds{{
    {Kind::Bytes, QT_TRANSLATE_NOOP("BudgetField", "Bytes"),
     QT_TRANSLATE_NOOP("BudgetField", "Least error where all constants take at most so much"),
     " kB", 1e-3, 0.001, 1e9, 3, 1e6},
    {Kind::Bits, QT_TRANSLATE_NOOP("BudgetField", "Bits"),
     QT_TRANSLATE_NOOP("BudgetField",
                       "Least error with at most so many bits in the mean over all weights"),
     " bits", 1, 0.5, 32, 2, 8},
    {Kind::Time, QT_TRANSLATE_NOOP("BudgetField", "Time"),
     QT_TRANSLATE_NOOP("BudgetField",
                       "Least error where a sample takes at most so long, by the times of this "
                       "machine, which are measured first, or of a file"),
     " ms", 1e-3, 0.001, 1e6, 3, 1e4},
    {Kind::Speedup, QT_TRANSLATE_NOOP("BudgetField", "Speedup"),
     QT_TRANSLATE_NOOP("BudgetField",
                       "Least error at so many times the speed of float, by the times of this "
                       "machine, which are measured first, or of a file"),
     " ×", 1, 0.1, 100, 2, 1.2},
    {Kind::MaxDrop, QT_TRANSLATE_NOOP("BudgetField", "Drop"),
     QT_TRANSLATE_NOOP("BudgetField",
                       "Fewest bytes where at most so much of accuracy, or without labels of top-1 "
                       "agreement, is lost"),
     " %", 100, 0, 100, 2, 0.01},
}};

// What wider types may take to begin with, as much as advice that is accepted.
constexpr double kRoom = 1.25;

const KindLooks& looksOf(Kind kind) {
  for (const KindLooks& each : kKinds) {
    if (each.kind == kind) return each;
  }
  return kKinds.front();
}

/// Without the zeros at the end of a figure.
class BudgetLimit : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;

  QString textFromValue(double value) const override {
    QString words = QDoubleSpinBox::textFromValue(value);
    if (!words.contains(locale().decimalPoint())) return words;
    while (words.endsWith(locale().zeroDigit())) words.chop(1);
    if (words.endsWith(locale().decimalPoint())) words.chop(1);
    return words;
  }
};

}  // namespace

BudgetField::BudgetField(QWidget* parent)
    : QWidget(parent), m_kind(new QComboBox), m_limit(new BudgetLimit) {
  for (const KindLooks& each : kKinds) {
    m_kind->addItem(tr(each.title), static_cast<int>(each.kind));
    m_kind->setItemData(m_kind->count() - 1, tr(each.about), Qt::ToolTipRole);
    m_limits[each.kind] = each.limit;
  }
  m_kind->setAccessibleName(tr("Kind of budget"));
  m_limit->setAccessibleName(tr("Budget of the search"));
  m_limit->setKeyboardTracking(false);
  // Wide enough for what is usual; its widest figure would take half the pane.
  m_limit->setFixedWidth(fontMetrics().horizontalAdvance(QStringLiteral("≤ 100000.0 kB")) + 32);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_kind);
  layout->addWidget(m_limit);
  connect(m_kind, &QComboBox::activated, this, [this] {
    showKind();
    Q_EMIT changed();
  });
  connect(m_limit, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    m_limits[kind()] = value / looksOf(kind()).scale;
    m_bytesSet = m_bytesSet || kind() == Kind::Bytes;
    Q_EMIT changed();
  });
  showKind();
}

BudgetField::Kind BudgetField::kind() const {
  return static_cast<Kind>(m_kind->currentData().toInt());
}

SearchGoal BudgetField::goal() const {
  return {kind(), m_limits.at(kind())};
}

void BudgetField::setGoal(const SearchGoal& goal) {
  m_limits[goal.kind] = goal.limit;
  m_bytesSet = m_bytesSet || goal.kind == Kind::Bytes;
  m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(goal.kind)));
  showKind();
}

void BudgetField::setBytesNow(double bytes) {
  const double limit = kRoom * bytes;
  if (m_bytesSet || m_limits[Kind::Bytes] == limit) return;
  m_limits[Kind::Bytes] = limit;
  showKind();
}

void BudgetField::showKind() {
  const KindLooks& looks = looksOf(kind());
  Q_EMIT kindChanged();
  const QSignalBlocker quiet(m_limit);
  m_limit->setDecimals(looks.decimals);
  m_limit->setRange(looks.least, looks.most);
  m_limit->setSuffix(QString::fromUtf8(looks.suffix));
  m_limit->setPrefix(looks.kind == Kind::Speedup ? QStringLiteral("≥ ") : QStringLiteral("≤ "));
  m_limit->setValue(m_limits.at(looks.kind) * looks.scale);
  m_limit->setToolTip(tr(looks.about));
  m_kind->setToolTip(tr(looks.about));
}

}  // namespace quantscope
