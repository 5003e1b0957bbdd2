#include "field_undo.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>

namespace quantscope {
namespace {

// A spin box hands its events on by a call, so that nobody sees those of the field in it.
const QLineEdit* fieldOf(QObject* watched) {
  if (qobject_cast<QAbstractSpinBox*>(watched) != nullptr) return watched->findChild<QLineEdit*>();
  return qobject_cast<QLineEdit*>(watched);
}

}  // namespace

FieldUndo::FieldUndo(QWidget* window) : QObject(window), m_window(window) {
  qApp->installEventFilter(this);
}

bool FieldUndo::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  const QLineEdit* field = fieldOf(watched);
  if (field == nullptr || field->window() != m_window) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool undoes = key->matches(QKeySequence::Undo) && !field->isUndoAvailable();
  const bool redoes = key->matches(QKeySequence::Redo) && !field->isRedoAvailable();
  if (!undoes && !redoes) return false;
  event->ignore();
  return true;
}

}  // namespace quantscope
