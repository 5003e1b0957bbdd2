#pragma once

#include <QObject>

class QWidget;

namespace quantscope {

/// Leaves the keys of undo and redo to a window while the text field with the focus has nothing to
/// undo: Qt's fields take them all the same, so that nothing happens.
class FieldUndo : public QObject {
  Q_OBJECT

 public:
  /// For the fields of `window`, which becomes its parent.
  explicit FieldUndo(QWidget* window);

  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* m_window;
};

}  // namespace quantscope
