#include "gains_controller.h"

#include "widgets/configuration/configuration_panel.h"
#include "window_views.h"

namespace quantscope {

GainsController::GainsController(Session& session, WindowViews& views, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_foresight(session, views.inspector()),
      m_types(session, "other types",
              [this](const SnapshotPtr& shown) {
                return trying(shown, typesToTry(),
                              [this](const ConfigGains& gains) { takeTypes(gains); });
              }),
      m_overrides(session, "overrides", [this](const SnapshotPtr& shown) {
        return trying(shown, overridesToTry(), [this](const ConfigGains& gains) {
          m_views.configuration().setLosses(gains);
        });
      }) {
  connect(&session.precision(), &PrecisionEditor::changed, &m_types, &IdleProbe::restart);
  connect(&views.configuration(), &ConfigurationPanel::shown, &m_overrides, &IdleProbe::restart);
}

IdleProbe::Work GainsController::trying(const SnapshotPtr& shown,
                                        const std::vector<Configuration>& configs,
                                        const Take& take) const {
  if (configs.empty()) return nullptr;
  return [shown, configs, take, &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    measureConfigGains(*shown, configs, memory, job,
                       [&](const ConfigGains& gains) { tell([take, gains] { take(gains); }); });
  };
}

void GainsController::takeTypes(const ConfigGains& gains) const {
  ConfigGains byPlace(wholeTypes().size());
  for (std::size_t i = 0; i < m_places.size(); ++i) byPlace[m_places[i]] = gains[i];
  m_session.precision().setGains(byPlace);
}

std::vector<Configuration> GainsController::typesToTry() {
  m_places.clear();
  std::vector<Configuration> configs;
  const auto candidates = m_session.precision().candidates();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i]) continue;
    configs.push_back(*candidates[i]);
    m_places.push_back(i);
  }
  return configs;
}

// The configuration without each of them.
std::vector<Configuration> GainsController::overridesToTry() const {
  std::vector<Configuration> configs;
  if (!m_views.configuration().canBeSeen()) return configs;
  const Configuration& now = m_session.document().configuration();
  for (const ConfigEdit& removal : m_views.configuration().removals()) {
    configs.push_back(removal.apply(now));
  }
  return configs;
}

}  // namespace quantscope
