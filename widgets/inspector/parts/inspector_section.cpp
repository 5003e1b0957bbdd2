#include "widgets/inspector/parts/inspector_section.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/controls/wrapped_label.h"
#include "widgets/inspector/parts/section_title.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kMargin = 12;

}  // namespace

InspectorSection::InspectorSection(const QString& key, const QString& title, QWidget* parent)
    : QWidget(parent),
      m_key(key),
      m_title(title),
      m_content(new QWidget(this)),
      m_body(new QVBoxLayout(m_content)),
      m_copy(new QAction(tr("Copy as Text"), this)) {
  setObjectName(key);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 1, 0, 0);
  layout->setSpacing(0);
  if (!title.isEmpty()) {
    setAccessibleName(title);
    m_button = new SectionTitle(title, this);
    layout->addWidget(m_button);
    connect(m_button, &QAbstractButton::toggled, this, &InspectorSection::setOpen);
  }
  layout->addWidget(m_content);
  m_body->setContentsMargins(kMargin, title.isEmpty() ? kMargin : 0, kMargin, kMargin);
  m_body->setSpacing(8);
  connect(m_copy, &QAction::triggered, this,
          [this] { QApplication::clipboard()->setText(asText()); });
}

void InspectorSection::setOpen(bool open) {
  if (open == m_open) return;
  m_open = open;
  if (m_button != nullptr) m_button->setChecked(open);
  if (open && std::exchange(m_stale, false)) refresh();
  m_content->setVisible(open);
  Q_EMIT openChanged();
}

void InspectorSection::setSubject(const InspectorSubject& subject) {
  m_subject = subject;
  const bool applies = subject.snapshot && appliesTo(subject);
  if (applies && m_open) {
    // Disabled during the refresh, so that each shown or hidden part does not lay out the column
    // anew.
    m_body->setEnabled(false);
    refresh();
    m_body->setEnabled(true);
  }
  m_stale = applies && !m_open;
  // Hiding the focused widget would hand the focus to whatever comes next, with a frame around it.
  if (!applies && isVisible() && isAncestorOf(QApplication::focusWidget())) {
    parentWidget()->setFocus();
  }
  setVisible(applies);
}

void InspectorSection::setNote(const QString& note) {
  if (m_button != nullptr) m_button->setNote(note);
}

void InspectorSection::contextMenuEvent(QContextMenuEvent* event) {
  if (!m_open) return;
  QMenu menu(this);
  menu.addAction(m_copy);
  menu.addActions(furtherActions());
  menu.exec(event->globalPos());
}

void InspectorSection::paintEvent(QPaintEvent* /*event*/) {
  if (m_button == nullptr) return;
  QPainter painter(this);
  painter.fillRect(0, 0, width(), 1, Theme::of(palette()).border);
}

QLabel* wordLabel(QWidget* parent, bool muted) {
  auto* label = new WrappedLabel(parent);
  label->setContextMenuPolicy(Qt::NoContextMenu);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  label->setSizePolicy(policy);
  if (muted) label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

void setWords(QLabel* label, const QString& words) {
  if (label->text() != words) label->setText(words);
  label->setVisible(!words.isEmpty());
}

}  // namespace quantscope
