#pragma once

#include <QPushButton>

#include "jobs/analysis/advise.h"

namespace quantscope {

/// "Apply 3 changes: 27.9 → 32.1 dB, +23.9 % bytes". In a small window its end is left out.
class AcceptButton : public QPushButton {
  Q_OBJECT

 public:
  explicit AcceptButton(QWidget* parent = nullptr);

  /// Describes the joint effect of the changes; null while it is not known. `complete`: there is a
  /// result to change. `bytesBefore`: of all constants.
  void describe(bool complete, const Advice* advice, double bytesBefore);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace quantscope
