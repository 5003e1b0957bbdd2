#include "widgets/guide/guide_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/controls/wrapped_label.h"
#include "widgets/guide/guide_step.h"
#include "widgets/look/text.h"

namespace quantscope {

GuidePanel::GuidePanel(QWidget* parent)
    : QWidget(parent), m_list(new QWidget), m_scroll(new QScrollArea) {
  setAccessibleName(tr("Guide"));
  setMinimumWidth(200);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setBackgroundRole(QPalette::Base);
  m_list->setBackgroundRole(QPalette::Base);
  m_list->setAutoFillBackground(true);
  layout->addWidget(m_scroll);
  m_column = new QVBoxLayout(m_list);
  m_column->setContentsMargins({});
  m_column->setSpacing(0);
  auto* empty = new WrappedLabel;
  empty->setText(
      tr("From a float network to a verified export, step by step, with the model's own figures."
         "\n\nOpen a model to begin."));
  empty->setForegroundRole(QPalette::PlaceholderText);
  empty->setMargin(12);
  m_empty = empty;
  m_column->addWidget(m_empty);
  m_column->addStretch(1);
  m_scroll->setWidget(m_list);
}

void GuidePanel::setSteps(const std::vector<ProcedureStep>& steps, const StepActions& actions) {
  m_shown = steps;
  m_empty->setVisible(steps.empty());
  while (m_steps.size() < steps.size()) {
    auto* step = new GuideStep;
    const std::size_t index = m_steps.size();
    connect(step, &GuideStep::actionRequested, this, [this, index] {
      if (index < m_shown.size()) Q_EMIT actionRequested(m_shown[index].stage);
    });
    m_column->insertWidget(m_column->count() - 1, step);
    m_steps.push_back(step);
  }
  const auto open = std::ranges::find(steps, false, &ProcedureStep::done);
  const auto next = static_cast<std::size_t>(open - steps.begin());
  for (std::size_t i = 0; i < m_steps.size(); ++i) {
    m_steps[i]->setVisible(i < steps.size());
    if (i >= steps.size()) continue;
    m_steps[i]->show(static_cast<int>(i + 1), steps[i], i == next);
    const auto action = actions.find(steps[i].stage);
    const Action offered = action != actions.end() ? action->second : Action();
    m_steps[i]->setAction(offered.text, offered.toolTip, offered.enabled);
  }
  if (std::exchange(m_next, next) != next) scrollSoon();
}

// When the column has its new height.
void GuidePanel::scrollSoon() {
  QTimer::singleShot(0, this, &GuidePanel::scrollToNext);
}

// Shows the whole step, if there is room.
void GuidePanel::scrollToNext() {
  if (m_next >= m_shown.size()) return;
  m_scroll->ensureWidgetVisible(m_steps[m_next], 0, 0);
}

QString GuidePanel::asText() const {
  QString words;
  for (std::size_t i = 0; i < m_shown.size(); ++i) {
    words += QStringLiteral("%1. %2 %3 (%4)\n")
                 .arg(i + 1)
                 .arg(text(m_shown[i].title), text(m_shown[i].sentence),
                      m_shown[i].done ? tr("done") : tr("open"));
  }
  return words;
}

QSize GuidePanel::sizeHint() const {
  return {290, 600};
}

void GuidePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  scrollSoon();
  if (isEnabled()) Q_EMIT shown();
}

// Behind another tab a panel is disabled.
void GuidePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::EnabledChange && isEnabled() && isVisible()) Q_EMIT shown();
}

void GuidePanel::contextMenuEvent(QContextMenuEvent* event) {
  if (m_shown.empty()) return;
  QMenu menu(this);
  menu.addAction(tr("Copy as Text"), this,
                 [this] { QApplication::clipboard()->setText(asText()); });
  menu.exec(event->globalPos());
}

}  // namespace quantscope
