#include "profile_controller.h"

#include <algorithm>
#include <set>

#include "app/gui/window/error_message.h"
#include "base/error.h"
#include "search/profiles/optimize_by_profiles.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/criteria_field.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/profile_pane.h"
#include "widgets/sensitivity/search_ways.h"
#include "widgets/sensitivity/sensitivity_view.h"

namespace quantscope {
namespace {

// Operators that the backend leaves alone have a reason, but no type of their own.
std::vector<ChoiceReason> layersOf(const OptimizedConfig& found) {
  std::set<std::string> named;
  for (const auto& [node, precision] : found.config.precision->nodes) named.insert(node);
  std::vector<ChoiceReason> layers;
  std::ranges::copy_if(found.why, std::back_inserter(layers),
                       [&](const ChoiceReason& each) { return named.contains(each.node); });
  return layers;
}

}  // namespace

ProfileController::ProfileController(Session& session, SensitivityView& view, QObject* parent)
    : QObject(parent), m_session(session), m_pane(view.front().ways().profiles()) {
  connect(&m_pane, &ProfilePane::criteriaChanged, this, &ProfileController::choose);
  connect(&m_pane, &ProfilePane::shown, this, &ProfileController::follow);
  connect(&m_pane, &ProfilePane::adoptRequested, this, &ProfileController::adopt);
  connect(&m_pane, &ProfilePane::nodeChosen, this, &ProfileController::select);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this,
          &ProfileController::follow);
  connect(&session, &Session::requestChanged, this, &ProfileController::show);
  connect(&session, &Session::documentEnding, this, &ProfileController::forget);
  show();
}

bool ProfileController::isLoaded() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && shown->request.model == m_session.request().model;
}

// Out of sight it keeps no model in memory that is not open any more.
void ProfileController::follow() {
  const std::shared_ptr<const Engine> engine =
      isLoaded() ? m_session.snapshot()->model.engine : nullptr;
  if (engine == m_engine) return show();
  if (!m_pane.isVisible()) return forget();
  m_engine = engine;
  m_pane.setHint({});
  choose();
}

void ProfileController::forget() {
  m_work.cancel();
  m_choice.reset();
  m_engine.reset();
  show();
}

// What was chosen before stays in sight meanwhile.
void ProfileController::choose() {
  m_work.cancel();
  m_choice.reset();
  show();
  if (!m_engine) return;
  m_work.start(
      [this, engine = m_engine, criteria = m_pane.criteria().criteria()](const NewestWork::Turn&) {
        auto choice = std::make_shared<Choice>();
        try {
          choice->found = optimizeByProfiles(*engine, *shippedProfiles(), criteria, Strategy());
          choice->layers = layersOf(choice->found);
        } catch (const Error& error) {
          choice->failure = errorMessage(error, {}).sentence;
        }
        return NewestWork::Answer([this, choice] {
          m_choice = choice;
          m_pane.setChoices(choice->layers);
          show();
        });
      });
}

void ProfileController::show() {
  if (!m_session.snapshot()) {
    return m_pane.setHint(tr("Open a model to choose types for its layers; this needs no data."));
  }
  if (!m_choice || !isLoaded()) return m_pane.setRefusal(tr("The types are being chosen"));
  if (m_choice->layers.empty()) {
    return m_pane.setHint(m_choice->failure.isEmpty()
                              ? tr("No layer of this model can be quantized.")
                              : m_choice->failure);
  }
  const bool same = adopted() == m_session.request().config;
  m_pane.setRefusal(same ? tr("The configuration has these types already") : QString());
}

Configuration ProfileController::adopted() const {
  Configuration config = m_session.request().config;
  config.precision.edit([&chosen = *m_choice->found.config.precision](PrecisionConfig& precision) {
    precision.backend = chosen.backend;
    precision.defaults = chosen.defaults;
    precision.opTypes = chosen.opTypes;
    precision.patterns = chosen.patterns;
    precision.nodes = chosen.nodes;
  });
  config.encodings = {};
  return config;
}

void ProfileController::adopt() {
  if (!m_choice || m_choice->layers.empty() || !isLoaded()) return;
  m_session.setConfig(adopted(), tr("adopt types by profiles: %1").arg(m_pane.criteria().words()));
}

void ProfileController::select(const QString& name) {
  if (!m_session.snapshot()) return;
  const NodeId node = m_session.snapshot()->graph().findNode(name.toStdString());
  if (node.valid()) m_session.selection().selectNode(node);
}

}  // namespace quantscope
