#include "widgets/sensitivity/criteria_field.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <array>

namespace quantscope {
namespace {

constexpr double kPercent = 100;
constexpr double kMostSpeedup = 100;
constexpr double kFirstLoss = 2;  // percent
constexpr double kFirstSpeedup = 1.5;

struct CriteriaLooks {
  Criteria::Kind kind;
  const char* title;
  const char* about;
};

constexpr std::array<CriteriaLooks, 4> kCriteriaLooks{{
    {Criteria::Kind::Performance, QT_TRANSLATE_NOOP("CriteriaField", "Performance"),
     QT_TRANSLATE_NOOP("CriteriaField", "Expected speed counts twice as much as accuracy")},
    {Criteria::Kind::Balanced, QT_TRANSLATE_NOOP("CriteriaField", "Balanced"),
     QT_TRANSLATE_NOOP("CriteriaField",
                       "Expected speed and accuracy count alike; sensitive operators get 16 bits "
                       "rather than 8")},
    {Criteria::Kind::Accuracy, QT_TRANSLATE_NOOP("CriteriaField", "Accuracy"),
     QT_TRANSLATE_NOOP("CriteriaField",
                       "Expected accuracy counts more than speed; sensitive operators get 16 bits "
                       "rather than 8")},
    {Criteria::Kind::Custom, QT_TRANSLATE_NOOP("CriteriaField", "Custom"),
     QT_TRANSLATE_NOOP("CriteriaField",
                       "Types that are expected to lose at most so much accuracy and to be at "
                       "least so fast; where there is none, one that is accurate enough, else "
                       "16 bits")},
}};

}  // namespace

CriteriaField::CriteriaField(QWidget* parent)
    : QWidget(parent),
      m_kind(new QComboBox),
      m_loss(new QDoubleSpinBox),
      m_speedup(new QDoubleSpinBox) {
  for (const CriteriaLooks& each : kCriteriaLooks) {
    m_kind->addItem(tr(each.title), static_cast<int>(each.kind));
    m_kind->setItemData(m_kind->count() - 1, tr(each.about), Qt::ToolTipRole);
  }
  m_kind->setAccessibleName(tr("Criteria"));
  m_loss->setRange(0, kPercent);
  m_loss->setDecimals(2);
  m_loss->setSingleStep(0.5);
  m_loss->setValue(kFirstLoss);
  m_loss->setPrefix(tr("loses ≤ "));
  m_loss->setSuffix(QStringLiteral(" %"));
  m_loss->setToolTip(tr("The most accuracy that a layer may be expected to lose"));
  m_loss->setAccessibleName(tr("Most expected loss of accuracy"));
  m_speedup->setRange(0, kMostSpeedup);
  m_speedup->setDecimals(2);
  m_speedup->setSingleStep(0.1);
  m_speedup->setValue(kFirstSpeedup);
  m_speedup->setPrefix(tr("speed ≥ "));
  m_speedup->setSuffix(QStringLiteral(" ×"));
  m_speedup->setToolTip(tr("The least expected speed of a layer, in multiples of float32's"));
  m_speedup->setAccessibleName(tr("Least expected speed"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addWidget(m_kind);
  for (QDoubleSpinBox* each : {m_loss, m_speedup}) {
    each->setKeyboardTracking(false);
    layout->addWidget(each);
    connect(each, &QDoubleSpinBox::valueChanged, this, &CriteriaField::changed);
  }
  connect(m_kind, &QComboBox::activated, this, [this] {
    showKind();
    Q_EMIT changed();
  });
  setCriteria({});
}

Criteria::Kind CriteriaField::kind() const {
  return static_cast<Criteria::Kind>(m_kind->currentData().toInt());
}

Criteria CriteriaField::criteria() const {
  if (kind() != Criteria::Kind::Custom) return {kind()};
  return {kind(), static_cast<float>(m_loss->value() / kPercent),
          static_cast<float>(m_speedup->value())};
}

void CriteriaField::setCriteria(const Criteria& criteria) {
  m_kind->setCurrentIndex(m_kind->findData(static_cast<int>(criteria.kind)));
  if (criteria.kind == Criteria::Kind::Custom) {
    const QSignalBlocker quietLoss(m_loss);
    const QSignalBlocker quietSpeedup(m_speedup);
    m_loss->setValue(static_cast<double>(criteria.maxAccuracyLoss) * kPercent);
    m_speedup->setValue(static_cast<double>(criteria.minSpeedup));
  }
  showKind();
}

QString CriteriaField::words() const {
  if (kind() == Criteria::Kind::Custom) {
    return m_loss->text() + QStringLiteral(", ") + m_speedup->text();
  }
  return m_kind->currentText().toLower();
}

void CriteriaField::showKind() {
  const bool custom = kind() == Criteria::Kind::Custom;
  m_loss->setVisible(custom);
  m_speedup->setVisible(custom);
  m_kind->setToolTip(m_kind->currentData(Qt::ToolTipRole).toString());
  updateGeometry();
}

}  // namespace quantscope
