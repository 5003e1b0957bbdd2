#include "widgets/sensitivity/search_ways.h"

#include <QAction>
#include <QActionGroup>
#include <QVBoxLayout>

#include "widgets/controls/flow_layout.h"
#include "widgets/controls/segments.h"
#include "widgets/sensitivity/profile_pane.h"

namespace quantscope {

SearchWays::SearchWays(QWidget* parent)
    : QWidget(parent),
      m_bySamples(new QAction(tr("On samples"), this)),
      m_byProfiles(new QAction(tr("By profiles, without data"), this)),
      m_measured(new QWidget),
      m_profiles(new ProfilePane) {
  m_bySamples->setToolTip(tr("Tries types for every layer and measures the outputs on samples"));
  m_byProfiles->setToolTip(
      tr("Chooses a type for every layer by what is known of its kind of operator; nothing is "
         "measured"));
  auto* group = new QActionGroup(this);
  auto* segments = new Segments;
  for (QAction* action : {m_bySamples, m_byProfiles}) {
    action->setCheckable(true);
    group->addAction(action);
    segments->addAction(action, action->text());
  }
  auto* flow = new FlowLayout(8);
  flow->addWidget(segments);
  auto* top = new QVBoxLayout;
  top->setContentsMargins(8, 8, 8, 0);
  top->addLayout(flow);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(top);
  layout->addWidget(m_measured, 1);
  layout->addWidget(m_profiles, 1);
  connect(group, &QActionGroup::triggered, this, [this] { choose(way()); });
  show(Way::Measured);
}

SearchWays::Way SearchWays::way() const {
  return m_byProfiles->isChecked() ? Way::Profiles : Way::Measured;
}

void SearchWays::choose(Way way) {
  m_chosen = true;
  show(way);
}

void SearchWays::setSampled(bool sampled) {
  if (!m_chosen) show(sampled ? Way::Measured : Way::Profiles);
}

void SearchWays::show(Way way) {
  (way == Way::Profiles ? m_byProfiles : m_bySamples)->setChecked(true);
  m_measured->setVisible(way == Way::Measured);
  m_profiles->setVisible(way == Way::Profiles);
}

}  // namespace quantscope
