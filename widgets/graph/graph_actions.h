#pragma once

#include <QList>
#include <QObject>

class QAction;
class QWidget;

namespace quantscope {

/// The actions on the drawing as a whole. One set of actions serves the buttons over the graph, the
/// window's menus and the command palette.
class GraphActions : public QObject {
  Q_OBJECT

 public:
  /// Their shortcuts work while `view` or something in it has the focus.
  explicit GraphActions(QWidget* view);

  QAction* find;
  QAction* fit;
  QAction* zoomIn;
  QAction* zoomOut;
  QAction* leftToRight;
  QAction* constants;
  QAction* observers;
  QAction* expandAll;
  QAction* collapseAll;

  QList<QAction*> all() const;
};

}  // namespace quantscope
