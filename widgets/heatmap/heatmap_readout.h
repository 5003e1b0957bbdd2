#pragma once

#include <QWidget>

namespace quantscope {

/// Two lines of words, each with a strong beginning and a quieter rest, cut off where there is no
/// room.
class HeatmapReadout : public QWidget {
  Q_OBJECT

 public:
  explicit HeatmapReadout(QWidget* parent = nullptr);

  struct Line {
    QString strong;
    QString quiet;
    friend bool operator==(const Line&, const Line&) = default;
  };
  void setLines(const Line& first, const Line& second);
  const Line& first() const { return m_first; }
  const Line& second() const { return m_second; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Line m_first;
  Line m_second;
};

}  // namespace quantscope
