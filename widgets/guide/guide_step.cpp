#include "widgets/guide/guide_step.h"

#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/controls/wrapped_label.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kMargin = 10;
constexpr int kDisc = 18;

}  // namespace

GuideStep::GuideStep(QWidget* parent)
    : QWidget(parent),
      m_title(new QLabel(this)),
      m_sentence(new WrappedLabel(this)),
      m_button(new QPushButton(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(kMargin + kDisc + kMargin, 10, kMargin, 10);
  layout->setSpacing(4);
  QFont bold = m_title->font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_title->setTextFormat(Qt::PlainText);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  m_sentence->setSizePolicy(policy);
  layout->addWidget(m_title);
  layout->addWidget(m_sentence);
  layout->addWidget(m_button, 0, Qt::AlignLeft);
  m_button->setAutoDefault(false);
  connect(m_button, &QPushButton::clicked, this, &GuideStep::actionRequested);
}

void GuideStep::show(int number, const ProcedureStep& step, bool next) {
  m_number = number;
  m_done = step.done;
  m_next = next;
  m_title->setText(text(step.title));
  m_sentence->setText(text(step.sentence));
  setAccessibleName(text(step.title));
  setAccessibleDescription((m_done ? tr("Done. ") : tr("Open. ")) + text(step.sentence));
  update();
}

void GuideStep::setAction(const QString& text, const QString& toolTip, bool enabled) {
  m_button->setVisible(!text.isEmpty());
  m_button->setText(text);
  m_button->setToolTip(toolTip);
  m_button->setEnabled(enabled);
}

// A tick where it is done, else its number; the next one in the accent.
void GuideStep::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Theme& theme = Theme::of(palette());
  painter.fillRect(0, height() - 1, width(), 1, theme.border);
  painter.setRenderHint(QPainter::Antialiasing);
  const int middle = m_title->geometry().center().y() + 1;
  const QRect disc(kMargin, middle - kDisc / 2, kDisc, kDisc);
  if (m_done) {
    constexpr int kInset = 2;
    icon(QStringLiteral("check"))
        .paint(&painter, disc.adjusted(kInset, kInset, -kInset, -kInset), Qt::AlignCenter,
               QIcon::Normal, QIcon::On);
    return;
  }
  painter.setPen(QPen(m_next ? theme.accent : theme.mutedText, 1.2));
  painter.setBrush(m_next ? QBrush(theme.accent) : QBrush(Qt::NoBrush));
  painter.drawEllipse(QRectF(disc).adjusted(0.5, 0.5, -0.5, -0.5));
  painter.setPen(m_next ? theme.onAccent : theme.mutedText);
  painter.drawText(disc, Qt::AlignCenter, QString::number(m_number));
}

}  // namespace quantscope
