#include "widgets/shell/headline_bar.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QStyleOptionFocusRect>
#include <QToolButton>
#include <QToolTip>

#include "widgets/look/error_scale.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kBarHeight = 36;
constexpr int kPadding = 12;
constexpr int kChip = 10;
constexpr int kGap = 8;

bool mayHide(const HeadlineItem& item) {
  return item.tone == HeadlineItem::Tone::Plain && !item.sqnrDb;
}

// "output SQNR  ■ 17.4 dB": caption muted, value in bold, maybe on a tinted pill.
class FigureButton : public QAbstractButton {
 public:
  FigureButton(bool first, QWidget* parent) : QAbstractButton(parent), m_first(first) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    connect(this, &QAbstractButton::clicked, this, [this] {
      QGuiApplication::clipboard()->setText(m_item.text());
      QToolTip::showText(mapToGlobal(rect().bottomLeft()), HeadlineBar::tr("Copied"), this);
    });
  }

  void setItem(const HeadlineItem& item) {
    if (item == m_item) return;
    m_item = item;
    setText(m_item.text());
    setAccessibleName(m_item.text());
    setAccessibleDescription(m_item.definition);
    setToolTip(QStringLiteral("<p style=\"white-space:pre-wrap\">%1</p><p>%2</p>")
                   .arg(m_item.definition.toHtmlEscaped(), HeadlineBar::tr("Click to copy.")));
    updateGeometry();
    update();
  }

  QSize sizeHint() const override {
    int width = 2 * kPadding + QFontMetrics(boldFont()).horizontalAdvance(m_item.value);
    if (!m_item.caption.isEmpty()) {
      width += fontMetrics().horizontalAdvance(m_item.caption) + kGap;
    }
    if (m_item.sqnrDb) width += kChip + kGap;
    if (!m_item.change.isEmpty()) width += changeWidth();
    return {width, kBarHeight};
  }
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_first) {
      painter.fillRect(QRectF(0, 10, 1, height() - 20), theme.border);
    }
    paintBackground(painter, theme);
    QRect rest = rect().adjusted(kPadding, 0, -kPadding, 0);
    if (!m_item.caption.isEmpty()) {
      painter.setPen(theme.mutedText);
      painter.drawText(rest, Qt::AlignVCenter, m_item.caption);
      rest.setLeft(rest.left() + fontMetrics().horizontalAdvance(m_item.caption) + kGap);
    }
    if (m_item.sqnrDb) {
      painter.setPen(theme.border);
      painter.setBrush(ErrorScale().colour(*m_item.sqnrDb));
      painter.drawRoundedRect(QRectF(rest.left(), (height() - kChip) / 2.0, kChip, kChip), 3, 3);
      rest.setLeft(rest.left() + kChip + kGap);
    }
    painter.setPen(toneColour(theme));
    painter.setFont(boldFont());
    painter.drawText(rest, Qt::AlignVCenter, m_item.value);
    if (m_item.change.isEmpty()) return;
    rest.setLeft(rest.left() + QFontMetrics(boldFont()).horizontalAdvance(m_item.value) + kGap);
    painter.setFont(font());
    painter.setPen(m_item.better > 0 ? theme.accent : theme.warning);
    painter.drawText(rest, Qt::AlignVCenter, m_item.changeText());
  }

 private:
  int changeWidth() const { return kGap + fontMetrics().horizontalAdvance(m_item.changeText()); }

  QFont boldFont() const {
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    return bold;
  }

  QColor toneColour(const Theme& theme) const {
    switch (m_item.tone) {
      case HeadlineItem::Tone::Notice:
        return theme.info;
      case HeadlineItem::Tone::Warning:
        return theme.warning;
      default:
        return theme.text;
    }
  }

  void paintBackground(QPainter& painter, const Theme& theme) const {
    const QRectF pill = QRectF(rect()).adjusted(5, 6, -5, -6);
    painter.setPen(Qt::NoPen);
    if (m_item.tone != HeadlineItem::Tone::Plain) {
      QColor tint = toneColour(theme);
      tint.setAlpha(30);
      painter.setBrush(tint);
      painter.drawRoundedRect(pill, 5, 5);
    }
    if (underMouse() || hasFocus()) {
      QColor tint = theme.text;
      tint.setAlpha(18);
      painter.setBrush(tint);
      painter.setPen(hasFocus() ? QPen(theme.accent, 1.5) : QPen(Qt::NoPen));
      painter.drawRoundedRect(pill, 5, 5);
    }
  }

  HeadlineItem m_item;
  bool m_first;
};

}  // namespace

HeadlineBar::HeadlineBar(QWidget* parent)
    : QWidget(parent), m_layout(new QHBoxLayout), m_more(new QToolButton(this)) {
  setAccessibleName(tr("Figures of the whole model"));
  setFixedHeight(kBarHeight);
  auto* whole = new QHBoxLayout(this);
  whole->setContentsMargins(4, 0, 4, 0);
  whole->setSpacing(0);
  whole->addLayout(m_layout, 1);
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(0);
  m_layout->addStretch(1);
  m_more->setText(QStringLiteral("…"));
  m_more->setAutoRaise(true);
  m_more->setPopupMode(QToolButton::InstantPopup);
  m_more->setMenu(new QMenu(m_more));
  m_more->setAccessibleName(tr("More figures"));
  m_more->hide();
  whole->addWidget(m_more);
}

void HeadlineBar::setCorner(QWidget* corner) {
  m_corner = corner;
  layout()->addWidget(corner);
}

QAbstractButton* HeadlineBar::figure(std::size_t i) const {
  return static_cast<QAbstractButton*>(m_layout->itemAt(static_cast<int>(i))->widget());
}

void HeadlineBar::fit() {
  const QMargins margins = layout()->contentsMargins();
  int room = width() - margins.left() - margins.right();
  if (m_corner != nullptr) room -= m_corner->sizeHint().width();
  int wanted = 0;
  for (std::size_t i = 0; i < m_items.size(); ++i) wanted += figure(i)->minimumSizeHint().width();
  const bool all = wanted <= room;
  if (!all) room -= m_more->sizeHint().width();
  // What has changed goes last.
  std::vector<bool> hidden(m_items.size(), false);
  for (const bool changed : {false, true}) {
    for (std::size_t i = m_items.size(); i-- > 0 && wanted > room;) {
      if (!mayHide(m_items[i]) || m_items[i].change.isEmpty() == changed) continue;
      wanted -= figure(i)->minimumSizeHint().width();
      hidden[i] = true;
    }
  }
  for (std::size_t i = 0; i < m_items.size(); ++i) figure(i)->setHidden(hidden[i]);
  m_more->setHidden(all);
  listHidden();
}

void HeadlineBar::listHidden() {
  QStringList lines;
  m_more->menu()->clear();
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    if (!figure(i)->isHidden()) continue;
    lines << m_items[i].text();
    QAction* action = m_more->menu()->addAction(m_items[i].text());
    connect(action, &QAction::triggered, figure(i), &QAbstractButton::click);
  }
  m_more->setToolTip(lines.join(u'\n'));
}

void HeadlineBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

// A figure that stays where it is keeps its button: most differ in their numbers alone, if at all.
void HeadlineBar::setItems(const std::vector<HeadlineItem>& items) {
  m_items = items;
  const int count = static_cast<int>(items.size());
  while (m_layout->count() - 1 > count) {
    QLayoutItem* last = m_layout->takeAt(m_layout->count() - 2);
    last->widget()->deleteLater();
    delete last;
  }
  for (int i = 0; i < count; ++i) {
    if (i == m_layout->count() - 1) m_layout->insertWidget(i, new FigureButton(i == 0, this));
    static_cast<FigureButton*>(m_layout->itemAt(i)->widget())
        ->setItem(items[static_cast<std::size_t>(i)]);
  }
  fit();
}

void HeadlineBar::paintEvent(QPaintEvent* /*event*/) {
  const Theme& theme = Theme::of(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.fillRect(0, height() - 1, width(), 1, theme.border);
}

}  // namespace quantscope
