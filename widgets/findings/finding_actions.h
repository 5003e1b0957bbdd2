#pragma once

#include <QList>
#include <QObject>

class QAction;
class QWidget;

namespace quantscope {

/// The actions on the chosen finding, for the keyboard and the context menu.
class FindingActions : public QObject {
  Q_OBJECT

 public:
  /// Their shortcuts work while `list` has the focus.
  explicit FindingActions(QWidget* list);

  QAction* goTo;
  QAction* apply;
  QAction* applyAlike;
  QAction* dismiss;
  QAction* copy;
  QAction* onlyLayer;
  QAction* onlyScope;
  QAction* onlyDetector;

  QList<QAction*> all() const;
};

}  // namespace quantscope
