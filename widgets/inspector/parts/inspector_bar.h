#pragma once

#include <QWidget>

class QTabBar;

namespace quantscope {

class ElidedLabel;

/// The title of a long inspector and its sections, which stay in sight when the top is scrolled
/// away.
class InspectorBar : public QWidget {
  Q_OBJECT

 public:
  explicit InspectorBar(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  /// The titles of the sections, from the top.
  void setSections(const QStringList& titles);
  /// Marks the section in sight, without emitting chosen().
  void setCurrent(int section);

 Q_SIGNALS:
  /// By the user.
  void chosen(int section);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ElidedLabel* m_title;
  QTabBar* m_sections;
  QStringList m_titles;
};

}  // namespace quantscope
