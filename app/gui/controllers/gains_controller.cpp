#include "gains_controller.h"

#include "app/gui/layer_order.h"
#include "app/gui/window/window_views.h"
#include "widgets/configuration/configuration_panel.h"

namespace quantscope {
namespace {

constexpr std::size_t kWorstLayers = 3;

// The configurations with one of the layers in one of the other types.
std::vector<Configuration> typesOf(const AnalysisSnapshot& shown,
                                   const std::vector<std::size_t>& layers) {
  const TypeChoices choices(shown.model.engine, shown.request.config, shown.quantized);
  std::vector<Configuration> configs;
  for (const std::size_t layer : layers) {
    for (const QuantType type : wholeTypes().first(kFrontTypes)) {
      if (!choices.refusal(layer, type).empty() || choices.typeOf(layer) == type) continue;
      configs.push_back(choices.setType({layer}, type).apply(choices.config()));
    }
  }
  return configs;
}

}  // namespace

GainsController::GainsController(Session& session, WindowViews& views, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_foresight(session, views.inspector()),
      m_types(session, "other types",
              [this](const SnapshotPtr& shown) {
                PrecisionEditor& editor = m_session.precision();
                return trying(shown, editor.candidates(),
                              [&editor](const ConfigGains& gains) { editor.setGains(gains); });
              }),
      m_operatorTypes(
          session, "types of an operator",
          [this](const SnapshotPtr& shown) {
            PrecisionEditor& editor = m_session.precision();
            return trying(shown, editor.operatorCandidates(),
                          [&editor](const ConfigGains& gains) { editor.setOperatorGains(gains); });
          }),
      m_overrides(session, "overrides",
                  [this](const SnapshotPtr& shown) {
                    return trying(shown, overridesToTry(), [this](const ConfigGains& gains) {
                      m_views.configuration().setLosses(gains);
                    });
                  }),
      m_worst(session, "types of the worst layers",
              [this](const SnapshotPtr& shown) { return tryingWorst(shown); }) {
  connect(&session.precision(), &PrecisionEditor::changed, &m_types, &IdleProbe::restart);
  connect(&session.precision(), &PrecisionEditor::changed, &m_operatorTypes, &IdleProbe::restart);
  connect(&views.configuration(), &ConfigurationPanel::shown, &m_overrides, &IdleProbe::restart);
  connect(&session.precision(), &PrecisionEditor::changed, &m_worst, &IdleProbe::restart);
}

IdleProbe::Work GainsController::trying(const SnapshotPtr& shown,
                                        const PrecisionEditor::Candidates& candidates,
                                        const Take& take) const {
  if (!candidates) return nullptr;
  return [shown, candidates, take, &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    const std::vector<std::optional<Configuration>> found = candidates();
    std::vector<Configuration> configs;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) continue;
      configs.push_back(*found[i]);
      places.push_back(i);
    }
    if (configs.empty()) return;
    measureConfigGains(*shown, configs, memory, job, [&](const ConfigGains& gains) {
      ConfigGains byPlace(found.size());
      for (std::size_t i = 0; i < places.size(); ++i) byPlace[places[i]] = gains[i];
      tell([take, byPlace] { take(byPlace); });
    });
  };
}

// The configuration without each of them.
PrecisionEditor::Candidates GainsController::overridesToTry() const {
  if (!m_views.configuration().canBeSeen()) return nullptr;
  return
      [now = m_session.document().configuration(), removals = m_views.configuration().removals()] {
        std::vector<std::optional<Configuration>> configs;
        for (const ConfigEdit& removal : removals) configs.emplace_back(removal.apply(now));
        return configs;
      };
}

// Nobody looks at a layer yet, and may at one of these. Work at a selected one must not be held up.
IdleProbe::Work GainsController::tryingWorst(const SnapshotPtr& shown) const {
  if (!m_session.precision().selected().empty()) return nullptr;
  std::vector<std::size_t> layers = worstFirst(*shown->result, m_session.options(), kWorstLayers);
  if (layers.empty()) return nullptr;
  return [shown, layers = std::move(layers), &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell&) {
    // What was measured is remembered, and found again when somebody asks.
    measureConfigGains(*shown, typesOf(*shown, layers), memory, job, [](const ConfigGains&) {});
  };
}

}  // namespace quantscope
