#pragma once

#include <QComboBox>

namespace quantscope {

/// A choice of presets that says how far the configuration is from the chosen one: "INT8 per tensor
/// + 28 overrides".
class PresetBox : public QComboBox {
  Q_OBJECT

 public:
  explicit PresetBox(QWidget* parent = nullptr);

  void setSuffix(const QString& suffix);
  QString shownText() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_suffix;
};

}  // namespace quantscope
