#include "widgets/graph/graph_search.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>

#include "base/number_text.h"
#include "widgets/graph/painting/overlay_card.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr int kFieldWidth = 220;

QToolButton* makeButton(const QString& picture, const QString& name, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setIcon(icon(picture));
  button->setIconSize({16, 16});
  button->setToolTip(name);
  button->setAccessibleName(name);
  button->setAutoRaise(true);
  return button;
}

}  // namespace

GraphSearch::GraphSearch(QWidget* parent)
    : QWidget(parent), m_field(new QLineEdit(this)), m_count(new QLabel(this)) {
  m_field->setPlaceholderText(tr("Name, operator or finding"));
  m_field->setAccessibleName(tr("Search the graph"));
  m_field->setClearButtonEnabled(true);
  m_field->setMinimumWidth(kFieldWidth);
  m_field->installEventFilter(this);
  QToolButton* previous =
      makeButton(QStringLiteral("previous"), tr("Previous match (Shift+Enter)"), this);
  QToolButton* next = makeButton(QStringLiteral("next"), tr("Next match (Enter)"), this);
  QToolButton* end = makeButton(QStringLiteral("close"), tr("Close (Esc)"), this);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 4, 4, 4);
  row->setSpacing(4);
  row->addWidget(m_field);
  row->addWidget(m_count);
  for (QToolButton* button : {previous, next, end}) row->addWidget(button);
  connect(m_field, &QLineEdit::textChanged, this, &GraphSearch::wordsChanged);
  connect(previous, &QToolButton::clicked, this, &GraphSearch::previousRequested);
  connect(next, &QToolButton::clicked, this, &GraphSearch::nextRequested);
  connect(end, &QToolButton::clicked, this, &GraphSearch::close);
  hide();
}

void GraphSearch::open() {
  show();
  raise();
  m_field->setFocus(Qt::ShortcutFocusReason);
  m_field->selectAll();
}

void GraphSearch::close() {
  hide();
  m_field->clear();
  Q_EMIT closed();
}

QString GraphSearch::words() const {
  return m_field->text();
}

void GraphSearch::setWords(const QString& words) {
  m_field->setText(words);
}

void GraphSearch::setCount(std::size_t match, std::size_t count) {
  if (words().isEmpty()) {
    m_count->clear();
  } else if (count == 0) {
    m_count->setText(tr("no match"));
  } else {
    m_count->setText(tr("%1 of %2").arg(text(grouped(match + 1)), text(grouped(count))));
  }
  adjustSize();
}

void GraphSearch::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintOverlayCard(painter, *this);
}

bool GraphSearch::eventFilter(QObject* watched, QEvent* event) {
  const bool override = event->type() == QEvent::ShortcutOverride;
  if (!override && event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  const bool escape = key->key() == Qt::Key_Escape;
  if (!enter && !escape) return QWidget::eventFilter(watched, event);
  // The window's own meaning of Esc comes only after this.
  event->accept();
  if (override) return true;
  if (escape) {
    close();
  } else if ((key->modifiers() & Qt::ShiftModifier) != 0) {
    Q_EMIT previousRequested();
  } else {
    Q_EMIT nextRequested();
  }
  return true;
}

}  // namespace quantscope
