#include "widgets/shell/message_row.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QTimer>
#include <QToolButton>
#include <chrono>

#include "widgets/look/elided_lines.h"
#include "widgets/look/icons.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

// Long enough to read two lines twice.
constexpr std::chrono::seconds kPassing{12};
constexpr int kStripe = 4;
constexpr int kIconSize = 18;
constexpr int kMostNoticeLines = 1;
// Narrower, words and buttons stand below each other.
constexpr int kRoomy = 760;

QString iconOf(Message::Severity severity) {
  switch (severity) {
    case Message::Severity::Error:
      return QStringLiteral("error");
    case Message::Severity::Warning:
      return QStringLiteral("warning");
    default:
      return QStringLiteral("info");
  }
}

QToolButton* flatButton(const QString& drawing, const QString& title, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setIcon(icon(drawing));
  button->setAutoRaise(true);
  button->setToolTip(title);
  button->setAccessibleName(title);
  return button;
}

}  // namespace

MessageBar::Row::Row(const Message& message, MessageBar* bar)
    : QFrame(bar),
      m_message(message),
      m_layout(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      m_picture(new QLabel(this)),
      m_words(new QLabel(this)),
      m_timer(new QTimer(this)) {
  setAccessibleName(message.sentence);
  m_layout->setContentsMargins(12 + kStripe, 6, 8, 6);
  m_layout->setSpacing(8);
  auto* text = new QHBoxLayout;
  addText(text);
  m_layout->addLayout(text, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  addButtons(buttons, bar);
  m_layout->addLayout(buttons);
  m_timer->setSingleShot(true);
  connect(m_timer, &QTimer::timeout, bar, [this, bar] { bar->remove(this); });
  if (message.passing) m_timer->start(kPassing);
}

void MessageBar::Row::addText(QBoxLayout* layout) {
  m_picture->setFixedWidth(kIconSize + 4);
  layout->addWidget(m_picture, 0, Qt::AlignVCenter);
  m_words->setWordWrap(true);
  m_words->setTextFormat(Qt::RichText);
  m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_words->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::MinimumExpanding);
  layout->addWidget(m_words, 1);
  m_words->installEventFilter(this);
  showWords();
}

void MessageBar::Row::addButtons(QBoxLayout* layout, MessageBar* bar) {
  for (const Message::Remedy& remedy : m_message.remedies) {
    auto* button = new QPushButton(remedy.title, this);
    // The message may go, and with it this button, while the remedy runs.
    connect(
        button, &QPushButton::clicked, bar, [run = remedy.run] { run(); }, Qt::QueuedConnection);
    layout->addWidget(button);
  }
  QToolButton* copy = flatButton(QStringLiteral("copy"), MessageBar::tr("Copy the message"), this);
  connect(copy, &QToolButton::clicked, this, [this] {
    const QString plain = m_message.sentence + u'\n' + m_message.hint;
    QGuiApplication::clipboard()->setText(m_message.details.isEmpty() ? plain.trimmed()
                                                                      : m_message.details);
  });
  layout->addWidget(copy);
  QToolButton* close = flatButton(QStringLiteral("close"), MessageBar::tr("Dismiss"), this);
  connect(close, &QToolButton::clicked, bar, [this, bar] { bar->remove(this); });
  layout->addWidget(close);
}

QColor MessageBar::Row::colour() const {
  const Theme& theme = Theme::of(palette());
  switch (m_message.severity) {
    case Message::Severity::Error:
      return theme.critical;
    case Message::Severity::Warning:
      return theme.warning;
    default:
      return theme.info;
  }
}

void MessageBar::Row::setHint(const QString& hint) {
  if (hint == m_message.hint) return;
  m_message.hint = hint;
  showWords();
}

void MessageBar::Row::showWords() {
  const QString muted = Theme::of(palette()).mutedText.name();
  // A notice must not cover its subject; errors are shown completely.
  const bool cut = m_message.severity == Message::Severity::Info;
  const QString sentence =
      cut ? elidedLines(m_message.sentence, m_words->font(), m_words->width(), kMostNoticeLines)
                .join(QString())
          : m_message.sentence;
  const QString whole = m_message.sentence + u' ' + m_message.hint;
  const bool hint = !m_message.hint.isEmpty() &&
                    (!cut || m_words->fontMetrics().horizontalAdvance(whole) < m_words->width());
  const bool all = sentence == m_message.sentence && (hint || m_message.hint.isEmpty());
  m_words->setToolTip(all ? QString()
                          : QStringLiteral("<p>%1</p>").arg(whole.trimmed().toHtmlEscaped()));
  QString words = sentence.toHtmlEscaped();
  if (hint) {
    words += QStringLiteral(" <span style=\"color:%1\">%2</span>")
                 .arg(muted, m_message.hint.toHtmlEscaped());
  }
  m_words->setText(words);
  const QPixmap drawing =
      icon(iconOf(m_message.severity)).pixmap(QSize(kIconSize, kIconSize), devicePixelRatioF());
  QPixmap tinted = drawing;
  QPainter painter(&tinted);
  painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
  painter.fillRect(QRect(QPoint(), drawing.deviceIndependentSize().toSize()), colour());
  painter.end();
  m_picture->setPixmap(tinted);
}

void MessageBar::Row::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  QColor tint = colour();
  tint.setAlpha(theme.dark ? 34 : 20);
  painter.fillRect(rect(), tint);
  painter.fillRect(0, 0, kStripe, height(), colour());
  painter.fillRect(0, 0, width(), 1, theme.border);
}

void MessageBar::Row::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) showWords();
  QFrame::changeEvent(event);
}

void MessageBar::Row::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  const bool narrow = width() < kRoomy && !m_message.remedies.empty() &&
                      m_message.severity != Message::Severity::Info;
  m_layout->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

// The words have the room that the buttons leave.
bool MessageBar::Row::eventFilter(QObject* watched, QEvent* event) {
  const auto* resized =
      event->type() == QEvent::Resize ? static_cast<QResizeEvent*>(event) : nullptr;
  if (resized != nullptr && resized->oldSize().width() != resized->size().width()) showWords();
  return QFrame::eventFilter(watched, event);
}

// The user may be reading it.
void MessageBar::Row::enterEvent(QEnterEvent* /*event*/) {
  m_timer->stop();
}

void MessageBar::Row::leaveEvent(QEvent* /*event*/) {
  if (m_message.passing) m_timer->start(kPassing);
}

}  // namespace quantscope
