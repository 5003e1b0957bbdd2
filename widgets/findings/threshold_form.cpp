#include "widgets/findings/threshold_form.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QPushButton>
#include <QSignalBlocker>

#include "widgets/controls/form_fields.h"

namespace quantscope {
namespace {

struct Description {
  double DetectorThresholds::*member;
  const char* title;
  const char* definition;
  double lowest;
  double highest;
  double step;
};

constexpr Description kDescriptions[] = {
    {&DetectorThresholds::outlierRatio, QT_TRANSLATE_NOOP("ThresholdForm", "Outlier ratio"),
     QT_TRANSLATE_NOOP("ThresholdForm",
                       "A channel has outliers where its largest element exceeds the reference "
                       "quantile by this factor, on average over the batches."),
     1, 1000, 0.5},
    {&DetectorThresholds::batchesUsed, QT_TRANSLATE_NOOP("ThresholdForm", "Batches used"),
     QT_TRANSLATE_NOOP("ThresholdForm",
                       "Share of the batches whose reference quantile must not be 0 for the "
                       "outlier verdict to be trusted."),
     0, 1, 0.05},
    {&DetectorThresholds::dynamicTolerance, QT_TRANSLATE_NOOP("ThresholdForm", "Dynamic tolerance"),
     QT_TRANSLATE_NOOP("ThresholdForm",
                       "Values count as non-stationary where a batch spans on average no more "
                       "than this share of the range of all."),
     0, 1, 0.05},
    {&DetectorThresholds::equalizationRatio,
     QT_TRANSLATE_NOOP("ThresholdForm", "Equalization ratio"),
     QT_TRANSLATE_NOOP("ThresholdForm",
                       "A channel profits from equalization where its factor lies between this "
                       "and its inverse."),
     0.01, 0.99, 0.05},
};

}  // namespace

ThresholdForm::ThresholdForm(QWidget* parent) : QWidget(parent) {
  auto* layout = new QFormLayout(this);
  dressForm(layout);
  layout->setContentsMargins(12, 12, 12, 12);
  for (const Description& description : kDescriptions) {
    auto* box = new QDoubleSpinBox;
    box->setRange(description.lowest, description.highest);
    box->setSingleStep(description.step);
    box->setDecimals(3);
    box->setKeyboardTracking(false);
    ignoreWheelWithoutFocus(box);
    addField(layout, tr("Detectors"), tr(description.title), box, tr(description.definition));
    m_fields.push_back({description.member, box});
    connect(box, &QDoubleSpinBox::valueChanged, this, [this, description](double value) {
      m_thresholds.*description.member = value;
      Q_EMIT changed(m_thresholds,
                     tr("set %1 to %2").arg(tr(description.title).toLower()).arg(value));
    });
  }
  auto* defaults = new QPushButton(tr("Defaults"));
  defaults->setToolTip(tr("The thresholds of PyTorch's ModelReport"));
  layout->addRow(QString(), defaults);
  connect(defaults, &QPushButton::clicked, this, [this] {
    DetectorThresholds usual;
    usual.referencePercentile = m_thresholds.referencePercentile;  // a matter of calibration
    if (m_thresholds == usual) return;
    setThresholds(usual);
    Q_EMIT changed(m_thresholds, tr("reset the detectors' thresholds"));
  });
  setThresholds({});
}

void ThresholdForm::setThresholds(const DetectorThresholds& thresholds) {
  m_thresholds = thresholds;
  for (const Field& field : m_fields) {
    const QSignalBlocker quiet(field.box);
    field.box->setValue(thresholds.*field.member);
  }
}

}  // namespace quantscope
