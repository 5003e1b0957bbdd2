#pragma once

#include <QWidget>

#include "compare/comparison.h"

class QLabel;
class QListWidget;

namespace quantscope {

/// What the detectors say of one compared layer: the first model's layer on the second's grids. The
/// most severe comes first.
class LayerReasons : public QWidget {
  Q_OBJECT

 public:
  explicit LayerReasons(QWidget* parent = nullptr);

  /// nullptr = no layer is selected. `comparison` says why no detector has looked, if so.
  void show(const ModelComparison& comparison, const ComparedLayer* layer);

  const QListWidget& list() const { return *m_list; }
  QString words() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void fill();

  QLabel* m_title;
  QListWidget* m_list;
  std::vector<DetectedReason> m_reasons;
};

}  // namespace quantscope
