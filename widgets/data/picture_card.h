#pragma once

#include <QImage>
#include <QWidget>

namespace quantscope {

/// A picture as large as there is room, in its proportions, with a caption below. Small ones are
/// magnified to whole pixels, so that they can be counted.
class PictureCard : public QWidget {
  Q_OBJECT

 public:
  PictureCard(const QImage& picture, const QString& caption, QWidget* parent = nullptr);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QImage m_picture;
  QString m_caption;
};

}  // namespace quantscope
