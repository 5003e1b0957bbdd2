#include "widgets/sensitivity/sensitivity_bar.h"

#include <QAction>
#include <QActionGroup>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/controls/flow_layout.h"
#include "widgets/controls/segments.h"

namespace quantscope {
namespace {

constexpr int kSpacing = 8;

// Of which one is on; the first one now.
Segments* segmentsOf(const QList<QAction*>& actions, QActionGroup* group) {
  auto* segments = new Segments;
  for (QAction* action : actions) {
    action->setCheckable(true);
    group->addAction(action);
    segments->addAction(action, action->text());
  }
  actions.front()->setChecked(true);
  return segments;
}

}  // namespace

SensitivityBar::SensitivityBar(QWidget* parent)
    : QWidget(parent),
      m_types(new TypesButton),
      m_aroundFloat(new QAction(tr("Around float"), this)),
      m_aroundConfiguration(new QAction(tr("Around the config."), this)),
      m_parts{{PrecisionPart::Both, new QAction(tr("Both"), this)},
              {PrecisionPart::Weights, new QAction(tr("Weights"), this)},
              {PrecisionPart::Activations, new QAction(tr("Activations"), this)}},
      m_run(new QPushButton),
      m_status(new QLabel) {
  m_types->setToolTip(tr("The types that each layer is tried in"));
  m_types->setAccessibleName(tr("Types to try"));
  m_types->setTypes({QuantType::Int8});
  m_aroundFloat->setToolTip(tr("Only the layer is quantized, all else is float"));
  m_aroundConfiguration->setToolTip(tr("Only the layer differs from the configuration"));
  auto* aroundGroup = new QActionGroup(this);
  Segments* around = segmentsOf({m_aroundFloat, m_aroundConfiguration}, aroundGroup);
  m_parts[PrecisionPart::Both]->setToolTip(tr("Weights and activations are in the type"));
  m_parts[PrecisionPart::Weights]->setToolTip(
      tr("Only weights are in the type, the layer's activations are in float"));
  m_parts[PrecisionPart::Activations]->setToolTip(
      tr("Only activations are in the type, the layer's weights are in float"));
  auto* partGroup = new QActionGroup(this);
  Segments* parts = segmentsOf({m_parts[PrecisionPart::Both], m_parts[PrecisionPart::Weights],
                                m_parts[PrecisionPart::Activations]},
                               partGroup);
  m_status->setForegroundRole(QPalette::PlaceholderText);
  auto* layout = new FlowLayout(kSpacing);
  // The button stands in the first line: in a low pane the last ones may have no room.
  for (QWidget* each :
       {static_cast<QWidget*>(m_types), static_cast<QWidget*>(m_run), static_cast<QWidget*>(around),
        static_cast<QWidget*>(parts), static_cast<QWidget*>(m_status)}) {
    layout->addWidget(each);
  }
  setMinimumWidth(std::max(around->sizeHint().width(), parts->sizeHint().width()) + 2 * kSpacing);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
  outer->addLayout(layout);
  connect(m_types, &TypesButton::changed, this, &SensitivityBar::requestChanged);
  for (QActionGroup* group : {aroundGroup, partGroup}) {
    connect(group, &QActionGroup::triggered, this, &SensitivityBar::requestChanged);
  }
  connect(m_run, &QPushButton::clicked, this,
          [this] { m_running ? Q_EMIT pauseRequested() : Q_EMIT startRequested(); });
  setStatus({}, false, false);
}

SensitivityRequest SensitivityBar::request() const {
  using Around = SensitivityRequest::Around;
  SensitivityRequest request{
      .types = m_types->types(),
      .around = m_aroundFloat->isChecked() ? Around::Float : Around::Configuration};
  for (const auto& [part, action] : m_parts) {
    if (action->isChecked()) request.part = part;
  }
  return request;
}

void SensitivityBar::setRequest(const SensitivityRequest& request) {
  const bool alone = request.around == SensitivityRequest::Around::Float;
  (alone ? m_aroundFloat : m_aroundConfiguration)->setChecked(true);
  m_parts.at(request.part)->setChecked(true);
  m_types->setTypes(request.types);
  Q_EMIT requestChanged();
}

void SensitivityBar::setStatus(const RunStatus& status, bool begun, bool complete) {
  m_running = status.running;
  const QString idle = complete && begun ? tr("Measured") : begun ? tr("Resume") : tr("Start");
  m_run->setText(status.running ? tr("Pause") : idle);
  m_run->setEnabled(status.running || (!complete && !m_types->types().empty()));
  m_status->setText(status.words);
  m_status->setVisible(!status.words.isEmpty());
  layout()->invalidate();
}

}  // namespace quantscope
