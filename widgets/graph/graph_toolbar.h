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

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace quantscope
