#include "widgets/shell/progress_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "base/number_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"
#include "widgets/words/progress_words.h"

namespace quantscope {
namespace {

constexpr std::chrono::milliseconds kPatience{500};
constexpr int kSteps = 1000;

QString countText(const Progress& progress) {
  if (progress.total == 0) return {};
  const QString words = ProgressStrip::tr(": %1 of %2")
                            .arg(text(grouped(progress.done)), text(grouped(progress.total)));
  return progress.unit.empty() ? words : words + u' ' + text(progress.unit);
}

}  // namespace

ProgressStrip::ProgressStrip(QWidget* parent)
    : QWidget(parent),
      m_stage(new QLabel(this)),
      m_bar(new QProgressBar(this)),
      m_remaining(new QLabel(this)),
      m_cancel(new QToolButton(this)) {
  setAccessibleName(tr("Progress"));
  m_bar->setTextVisible(false);
  m_bar->setFixedWidth(160);
  m_bar->setAccessibleName(tr("Progress of the analysis"));
  m_cancel->setIcon(icon(QStringLiteral("close")));
  m_cancel->setAutoRaise(true);
  m_cancel->setToolTip(tr("Stops the analysis; what is known so far stays."));
  m_cancel->setAccessibleName(tr("Cancel"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(8, 0, 8, 0);
  layout->setSpacing(8);
  for (QWidget* part : std::initializer_list<QWidget*>{m_stage, m_bar, m_remaining, m_cancel}) {
    layout->addWidget(part);
  }
  layout->addStretch(1);
  connect(m_cancel, &QToolButton::clicked, this, &ProgressStrip::cancelRequested);
  m_patience.setSingleShot(true);
  connect(&m_patience, &QTimer::timeout, this, &QWidget::show);
  hide();
}

void ProgressStrip::setRunning(bool running) {
  if (!running) {
    m_patience.stop();
    hide();
    return;
  }
  m_stage->setText(tr("Starting"));
  m_remaining->clear();
  m_bar->setRange(0, 0);
  m_patience.start(kPatience);
}

void ProgressStrip::setProgress(const Progress& progress) {
  m_stage->setText(text(progress.stage) + countText(progress));
  // A bar paints each value at once, and with it all else in the window that waits to be painted.
  m_bar->setUpdatesEnabled(false);
  m_bar->setRange(0, progress.total == 0 ? 0 : kSteps);
  if (progress.total > 0) {
    m_bar->setValue(static_cast<int>(kSteps * progress.done / progress.total));
  }
  m_bar->setUpdatesEnabled(true);
  m_remaining->setText(remainingText(progress.remaining));
}

}  // namespace quantscope
