#pragma once

#include <QWidget>

#include "widgets/inspector/parts/inspector_subject.h"

class QAction;
class QLabel;
class QVBoxLayout;

namespace quantscope {

class SectionTitle;

/// A part of the inspector under a title that opens and closes it. It is refreshed only while it is
/// open, and shown only where it has something to say about the subject.
class InspectorSection : public QWidget {
  Q_OBJECT

 public:
  /// `key` names it in the saved state; an empty title = without a title, always open.
  InspectorSection(const QString& key, const QString& title, QWidget* parent = nullptr);

  const QString& key() const { return m_key; }
  /// Empty where it has none.
  const QString& title() const { return m_title; }
  bool isOpen() const { return m_open; }
  void setOpen(bool open);
  void setSubject(const InspectorSubject& subject);
  const InspectorSubject& subject() const { return m_subject; }
  /// The contents as text, for the clipboard; numbers with full precision.
  virtual QString asText() const = 0;

 Q_SIGNALS:
  void openChanged();

 protected:
  virtual bool appliesTo(const InspectorSubject& subject) const = 0;
  /// Shows the subject, to which the section applies.
  virtual void refresh() = 0;
  /// Beside "Copy as Text" in the context menu.
  virtual QList<QAction*> furtherActions() { return {}; }

  QVBoxLayout* body() const { return m_body; }
  /// Muted text at the right end of the title.
  void setNote(const QString& note);
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_key;
  QString m_title;
  SectionTitle* m_button = nullptr;
  QWidget* m_content;
  QVBoxLayout* m_body;
  QAction* m_copy;
  InspectorSubject m_subject;
  bool m_open = true;
  bool m_stale = false;
};

/// A label of plain text that wraps and can be selected with the mouse. Muted = for captions.
QLabel* wordLabel(QWidget* parent, bool muted = false);
/// Sets the text and hides the label where it is empty.
void setWords(QLabel* label, const QString& words);

}  // namespace quantscope
