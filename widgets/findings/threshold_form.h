#pragma once

#include <QWidget>
#include <vector>

#include "precision/config/detector_thresholds.h"

class QDoubleSpinBox;

namespace quantscope {

/// The detectors' thresholds as fields.
class ThresholdForm : public QWidget {
  Q_OBJECT

 public:
  explicit ThresholdForm(QWidget* parent = nullptr);

  /// Says nothing of it.
  void setThresholds(const DetectorThresholds& thresholds);
  const DetectorThresholds& thresholds() const { return m_thresholds; }

 Q_SIGNALS:
  /// The user has changed thresholds; `what` names the change for the Edit menu.
  void changed(const quantscope::DetectorThresholds& thresholds, const QString& what);

 private:
  struct Field {
    double DetectorThresholds::*member;
    QDoubleSpinBox* box;
  };

  DetectorThresholds m_thresholds;
  std::vector<Field> m_fields;
};

}  // namespace quantscope
