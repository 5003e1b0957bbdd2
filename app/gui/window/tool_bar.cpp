#include "tool_bar.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QToolButton>

#include "widgets/controls/segments.h"
#include "widgets/look/icons.h"
#include "widgets/look/text.h"

namespace quantscope {

ToolBar::ToolBar(Actions& actions, DisplayOptions& options, QWidget* window)
    : QToolBar(tr("Tools"), window),
      m_actions(actions),
      m_options(options),
      m_metrics(new QComboBox(this)),
      m_search(new QLineEdit(this)) {
  setObjectName(QStringLiteral("toolBar"));
  setMovable(false);
  setFloatable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  addButton(actions.at(ActionId::OpenModel), tr("Open"));
  addButton(actions.at(ActionId::ChooseData), tr("Data"));
  m_run = addButton(actions.at(ActionId::Run), tr("Run"));
  for (const ActionId id : {ActionId::Run, ActionId::Cancel}) {
    connect(actions.at(id), &QAction::changed, this, &ToolBar::showRunTitle);
  }
  addButton(actions.at(ActionId::Export), tr("Export"));
  addSeparator();
  addMetrics();
  addKinds();
  addButton(actions.at(ActionId::Stretch), tr("Stretch"));
  addSeparator();
  addButton(actions.at(ActionId::Back), {});
  addButton(actions.at(ActionId::Forward), {});
  auto* spring = new QWidget(this);
  spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(spring);
  addSearch();
}

QToolButton* ToolBar::addButton(QAction* action, const QString& title) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::TabFocus);
  button->setAccessibleName(action->text().remove(u'&'));
  if (!title.isEmpty()) {
    button->setText(title);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    // An action that changes would bring its long text back.
    connect(action, &QAction::changed, button, [button, action, title] {
      if (button->defaultAction() == action) button->setText(title);
    });
  }
  addWidget(button);
  return button;
}

void ToolBar::addMetrics() {
  m_metrics->setAccessibleName(tr("Metric"));
  for (const MetricDescription& metric : metricCatalogue()) {
    const QString unit = text(metric.unit);
    m_metrics->addItem(text(metric.title));
    m_metrics->setItemData(m_metrics->count() - 1,
                           QStringLiteral("<p><b>%1</b>&nbsp; %2</p><p>%3</p>")
                               .arg(text(metric.title), unit, text(metric.definition)),
                           Qt::ToolTipRole);
  }
  const auto follow = [this] {
    const int index = static_cast<int>(m_options.metricIndex());
    m_metrics->setCurrentIndex(index);
    m_metrics->setToolTip(m_metrics->itemData(index, Qt::ToolTipRole).toString());
  };
  follow();
  connect(&m_options, &DisplayOptions::changed, this, follow);
  connect(m_metrics, &QComboBox::activated, &m_options,
          [this](int index) { m_options.setMetricIndex(static_cast<std::size_t>(index)); });
  addWidget(m_metrics);
}

void ToolBar::addKinds() {
  auto* segments = new Segments(this);
  segments->setAccessibleName(tr("Kind of error"));
  segments->addAction(m_actions.at(ActionId::KindLocal), tr("Local"));
  segments->addAction(m_actions.at(ActionId::KindAccumulated), tr("Accumulated"));
  segments->addAction(m_actions.at(ActionId::KindContribution), tr("Contribution"));
  segments->addAction(m_actions.at(ActionId::Delta), QStringLiteral("Δ"));
  auto* holder = new QWidget(this);
  auto* layout = new QHBoxLayout(holder);
  layout->setContentsMargins(4, 0, 4, 0);
  layout->addWidget(segments);
  addWidget(holder);
}

void ToolBar::addSearch() {
  m_search->setPlaceholderText(tr("Search layers and findings"));
  m_search->setAccessibleName(tr("Search layers and findings"));
  m_search->setToolTip(m_actions.at(ActionId::Find)->toolTip());
  m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  m_search->setClearButtonEnabled(true);
  m_search->setMinimumWidth(180);
  m_search->setMaximumWidth(280);
  m_search->installEventFilter(this);
  connect(m_search, &QLineEdit::textChanged, this, &ToolBar::searchChanged);
  addWidget(m_search);
}

void ToolBar::setRunning(bool running) {
  QAction* action = m_actions.at(running ? ActionId::Cancel : ActionId::Run);
  if (m_run->defaultAction() == action) return;
  m_run->removeAction(m_run->defaultAction());  // two would make it a menu
  m_run->setDefaultAction(action);
  showRunTitle();
  m_run->setAccessibleName(m_run->text());
}

// An action that changes brings its long text along.
void ToolBar::showRunTitle() {
  const bool running = m_run->defaultAction() == m_actions.at(ActionId::Cancel);
  m_run->setText(running ? tr("Cancel") : tr("Run"));
}

bool ToolBar::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      Q_EMIT nextRequested(m_search->text(), !key->modifiers().testFlag(Qt::ShiftModifier));
      return true;
    }
  }
  // Esc empties the field before it means anything to the window.
  if (event->type() == QEvent::ShortcutOverride && !m_search->text().isEmpty() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    m_search->clear();
    event->accept();
    return true;
  }
  return QToolBar::eventFilter(watched, event);
}

}  // namespace quantscope
