#include "widgets/findings/accept_button.h"

#include <QStringList>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <algorithm>

#include "widgets/look/text.h"
#include "widgets/words/gain_words.h"

namespace quantscope {
namespace {

constexpr int kLeastTitle = 12;
constexpr std::size_t kMostListed = 12;

QString changesList(const std::vector<AdvisedChange>& changes) {
  QStringList lines;
  for (std::size_t i = 0; i < std::min(kMostListed, changes.size()); ++i) {
    lines << text(changes[i].text).toHtmlEscaped();
  }
  if (changes.size() > kMostListed) {
    lines << AcceptButton::tr("and %1 more").arg(changes.size() - kMostListed);
  }
  return QStringLiteral("<p>%1</p>").arg(lines.join(QStringLiteral("<br>")));
}

}  // namespace

AcceptButton::AcceptButton(QWidget* parent) : QPushButton(parent) {
  setObjectName(QStringLiteral("accept-all"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void AcceptButton::describe(bool complete, const Advice* advice, double bytesBefore) {
  const bool helps = advice == nullptr || !advice->changes.empty();
  setEnabled(complete && helps);
  QString title = tr("Apply What Helps");
  QString tip = tr(
      "<p>Makes the changes that improve the outputs together: suggestions that are not dismissed, "
      "wider types and float, within a quarter more bytes and a quarter of the work above 8 bits. "
      "They are chosen by runs of the network, and by samples that are held out. One step to "
      "undo.</p>");
  if (advice == nullptr) {
    tip += tr("<p>What they do together is being measured.</p>");
  } else if (!helps) {
    tip += tr("<p>Nothing was found that helps.</p>");
  } else {
    title = tr("Apply %1").arg(figureWords(adviceText(*advice, bytesBefore)));
    tip =
        QStringLiteral("<p>%1</p>").arg(title.toHtmlEscaped()) + tip + changesList(advice->changes);
    for (const std::string& notice : advice->notices) {
      tip += QStringLiteral("<p>%1</p>").arg(quantscope::text(notice).toHtmlEscaped());
    }
  }
  setText(title);
  setToolTip(tip);
}

QSize AcceptButton::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * kLeastTitle, QPushButton::minimumSizeHint().height()};
}

void AcceptButton::paintEvent(QPaintEvent* /*event*/) {
  QStylePainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  const QRect room = style()->subElementRect(QStyle::SE_PushButtonContents, &option, this);
  option.text = fontMetrics().elidedText(option.text, Qt::ElideRight, room.width());
  painter.drawControl(QStyle::CE_PushButton, option);
}

}  // namespace quantscope
