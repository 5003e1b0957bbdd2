#include "precision/backend/nearest_precision.h"

#include <algorithm>
#include <utility>

#include "base/number_text.h"
#include "precision/config/precision_words.h"
#include "precision/config/replace_types.h"

namespace quantscope {
namespace {

// How much each kind of change weighs; types differ by their bits beside that. Another mode is less
// than other types for weights and activations, and more than float outputs.
constexpr int kModeWeight = 300;
constexpr int kTypeWeight = 100;
constexpr int kShapeWeight = 1;

// A float is not a poor integer but none at all.
int typeDistance(QuantType from, QuantType to) {
  if (from == to) return 0;
  const int bits = bitWidth(to) - bitWidth(from);
  const int narrower = bits < 0 ? 64 - bits : bits;
  const bool sameKind = isInteger(from) == isInteger(to) && isQuantized(from) == isQuantized(to);
  const bool sameSign = isSigned(from) == isSigned(to);
  return kTypeWeight + narrower + (sameKind ? 0 : kTypeWeight) + (sameSign ? 0 : 1);
}

std::string listOf(const std::vector<QuantType>& types) {
  std::vector<std::string> names;
  for (const QuantType type : types) names.emplace_back(name(type));
  return alternatives(names);
}

std::string listOf(const std::vector<GranularityChoice>& choices) {
  std::vector<std::string> names;
  for (const GranularityChoice& choice : choices) {
    const bool anySize = choice.kind == Granularity::Kind::PerGroup && !choice.groupSize;
    names.push_back(anySize ? "per-group" : words(Granularity{choice.kind, {}, choice.groupSize}));
  }
  return alternatives(names);
}

bool allows(const GranularityChoice& choice, const Granularity& granularity, int channelAxis) {
  if (choice.kind != granularity.kind) return false;
  if (choice.groupSize > 0 && choice.groupSize != granularity.groupSize) return false;
  return choice.anyAxis || !granularity.axis || *granularity.axis == channelAxis;
}

// The same kind if the backend has it, else per channel for anything finer than per tensor.
Granularity nearestGranularity(const std::vector<GranularityChoice>& choices,
                               const Granularity& asked, int groupAxis) {
  const auto byKind = [&](Granularity::Kind kind) {
    return std::ranges::find(choices, kind, &GranularityChoice::kind);
  };
  auto choice = byKind(asked.kind);
  if (choice == choices.end() && asked.kind != Granularity::Kind::PerTensor) {
    choice = byKind(Granularity::Kind::PerChannel);
  }
  if (choice == choices.end()) choice = choices.begin();
  Granularity nearest{choice->kind, {}, 0};
  if (choice->kind == Granularity::Kind::PerGroup) {
    nearest.axis = asked.axis.value_or(groupAxis);
    nearest.groupSize = choice->groupSize > 0 ? choice->groupSize : std::max(1, asked.groupSize);
  }
  return nearest;
}

class Fitting {
 public:
  Fitting(TensorPrecision& precision, TensorRole role, NearestPrecision& result)
      : m_precision(precision), m_role(role), m_result(result) {}

  void fit(const TensorAbility& ability, bool dynamic, int channelAxis) {
    const bool hadMode = hasScale(m_precision.type);
    fitType(ability);
    if (!hasScale(m_precision.type)) return;
    fitSymmetry(ability);
    const auto allowed = [&](const GranularityChoice& choice) {
      return allows(choice, m_precision.granularity, channelAxis);
    };
    if (std::ranges::none_of(ability.granularities, allowed)) {
      m_precision.granularity =
          nearestGranularity(ability.granularities, m_precision.granularity, channelAxis == 0);
      note(kShapeWeight, listOf(ability.granularities) + " " + words(m_role));
    }
    if (m_role == TensorRole::Weight || m_precision.dynamic == dynamic) return;
    m_precision.dynamic = dynamic;
    m_precision.range.reset();
    // A float has no mode; one comes with the type that takes its place.
    if (!hadMode) return;
    note(m_role == TensorRole::Activation ? kModeWeight : kShapeWeight,
         std::string(dynamic ? "dynamic " : "static ") + words(m_role));
  }

 private:
  void note(int weight, const std::string& reason) {
    m_result.distance += weight;
    m_result.reasons.push_back(reason);
  }

  void fitType(const TensorAbility& ability) {
    const QuantType asked = m_precision.type;
    const auto nearest = std::ranges::min_element(
        ability.types, {}, [&](QuantType type) { return typeDistance(asked, type); });
    if (*nearest == asked) return;
    setType(m_precision, *nearest);
    if (m_role != TensorRole::Weight && !hasScale(*nearest)) m_precision.granularity = {};
    note(typeDistance(asked, *nearest),
         std::string(words(m_role)) + " of " + listOf(ability.types));
  }

  void fitSymmetry(const TensorAbility& ability) {
    if (!canBeAsymmetric(m_precision.type)) return;
    const bool able = m_precision.symmetric ? ability.symmetric : ability.asymmetric;
    if (able) return;
    m_precision.symmetric = ability.symmetric;
    note(kShapeWeight,
         std::string(ability.symmetric ? "symmetric " : "asymmetric ") + words(m_role));
  }

  TensorPrecision& m_precision;
  TensorRole m_role;
  NearestPrecision& m_result;
};

}  // namespace

NearestPrecision nearestPrecision(const OperatorWay& way, const NodePrecision& asked,
                                  const LayerTensors& tensors, int channelAxis) {
  NearestPrecision result;
  result.precision = asked;
  const auto fit = [&](TensorPrecision& precision, TensorRole role,
                       const std::optional<TensorAbility>& ability, bool present) {
    if (ability && present) {
      Fitting(precision, role, result).fit(*ability, way.dynamic, channelAxis);
    }
  };
  fit(result.precision.weight, TensorRole::Weight, way.weight, tensors.weights);
  fit(result.precision.activation, TensorRole::Activation, way.activation, tensors.activations);
  const std::size_t known = result.reasons.size();
  fit(result.precision.output, TensorRole::Output, way.output, tensors.outputs);
  // Changes that follow from those of the activations are not reported again.
  if (tensors.activations && asked.output == asked.activation &&
      result.precision.output == result.precision.activation) {
    result.reasons.resize(known);
  }
  return result;
}

std::optional<NearestPrecision> nearestPrecision(
    const Backend& backend, std::string_view op, const NodePrecision& asked,
    const LayerTensors& tensors, int channelAxis,
    const std::function<bool(const OperatorWay&)>& suits) {
  std::optional<NearestPrecision> best;
  for (const OperatorWay& way : backend.ways) {
    if (std::ranges::find(way.operators, op) == way.operators.end()) continue;
    if (suits && !suits(way)) continue;
    NearestPrecision nearest = nearestPrecision(way, asked, tensors, channelAxis);
    if (!best || nearest.distance < best->distance) best = std::move(nearest);
  }
  return best;
}

}  // namespace quantscope
