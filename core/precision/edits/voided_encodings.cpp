#include "precision/edits/voided_encodings.h"

#include <optional>

#include "base/error.h"
#include "precision/parameters/encoded_names.h"
#include "precision/parameters/group_params.h"
#include "precision/parameters/resolved_encodings.h"
#include "precision/parameters/weight_quantization.h"

namespace quantscope {
namespace {

enum class Standing : std::uint8_t { NoEffect, Fits, Contradicts };

/// How encodings stand to what a configuration asks for.
class EncodingStandings {
 public:
  EncodingStandings(const Engine& engine, const PrecisionConfig& config)
      : m_config(config),
        m_backend(findBackend(config.backend)),
        m_resolved(engine.graph(), config),
        m_layers(engine, *m_backend, m_resolved),
        m_groups(findObserverGroups(m_layers)),
        m_names(engine.graph(), m_layers.layers, m_groups,
                quantizedWeights(engine, m_layers.layers, m_layers.quantized)) {}

  Standing of(const PointName& point, const Encoding& encoding) const {
    const NamedEncoding named{encodingPath(point), &encoding};
    Standing standing = Standing::NoEffect;
    const auto meets = [&](const QuantParams& params) {
      const bool fits = !contradictionOf(params, named).any();
      if (standing != Standing::Contradicts)
        standing = fits ? Standing::Fits : Standing::Contradicts;
    };
    for (const std::size_t group : m_names.groupsOf(point)) {
      const QuantizationPoint& first = m_groups.points[m_groups.members[group].front()];
      meets(paramsWithoutGrids(first.precision, *m_backend, m_config.convention));
    }
    for (const EncodedNames::Weight& weight : m_names.weightsOf(point)) {
      meets(weightParamsWithoutGrids(m_resolved[weight.first].weight, m_config.convention));
    }
    return standing;
  }

 private:
  const PrecisionConfig& m_config;
  std::shared_ptr<const Backend> m_backend;
  ResolvedConfig m_resolved;
  ConfiguredLayers m_layers;
  ObserverGroups m_groups;
  EncodedNames m_names;
};

}  // namespace

ConfigEdit voidingEncodings(ConfigEdit edit, const Engine& engine, const Configuration& config) {
  if (config.encodings->empty()) return edit;
  std::vector<ConfigStep> removals;
  try {
    const Configuration after = edit.apply(config);
    std::optional<EncodingStandings> then;  // made where an encoding no longer fits
    const EncodingStandings now(engine, *after.precision);
    for (const auto& [point, encoding] : after.encodings->entries) {
      const Standing standing = now.of(point, encoding);
      if (standing == Standing::Fits) continue;
      if (!then) then.emplace(engine, *config.precision);
      const Standing before = then->of(point, encoding);
      const bool isVoid = before != Standing::Contradicts && before != standing;
      if (isVoid) removals.push_back({.place = ConfigStep::Entry::Encoding, .point = point});
    }
  } catch (const Error& error) {
    // A backend's file that is gone is told by the next run.
    const bool isTold =
        error.code() == ErrorCode::InvalidConfiguration || error.code() == ErrorCode::Io;
    if (!isTold) throw;
    return edit;
  }
  edit.steps.insert(edit.steps.end(), removals.begin(), removals.end());
  return edit;
}

}  // namespace quantscope
