#pragma once

#include <QList>
#include <QWidget>

class QAction;

namespace quantscope {

/// A row of buttons over the graph.
class GraphToolbar : public QWidget {
  Q_OBJECT

 public:
  explicit GraphToolbar(const QList<QAction*>& actions, QWidget* parent = nullptr);

  /// A button with words, for an action of the window.
  void addTool(QAction* action, const QString& title);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace quantscope
