#include "search/measured/choice_reasons.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/cost/model_time.h"
#include "base/number_text.h"

namespace quantscope {
namespace {

std::string aloneText(const std::vector<double>& noise) {
  const double worst = noise.empty() ? 0 : std::ranges::max(noise);
  if (worst <= 0) return " the outputs are exact";
  if (worst >= kSpoiltNoise) return " the outputs are not finite";
  return " the worst output has " + decibelText(-10 * std::log10(worst));
}

std::string microseconds(double time) {
  return briefNumber(time) + " µs";
}

class ReasonsOfChoices {
 public:
  ReasonsOfChoices(const SearchSpace& space, const AloneErrors& alone,
                   const std::vector<std::size_t>& options, const CostTable* costs)
      : m_space(space), m_alone(alone), m_options(options), m_costs(costs) {}

  ChoiceReason of(std::size_t place) const {
    const SearchLayer& layer = m_space.layers[place];
    const std::size_t option = m_options[place];
    const LayerOption& chosen = layer.options[option];
    ChoiceReason reason;
    reason.node = layer.node;
    reason.measured = true;
    reason.scheme = std::string(name(chosen.type));
    reason.accuracyLoss = m_alone.drop[place][option];
    reason.speedup = speedupOf(layer, chosen);
    // Of one in float alone there is nothing to say but its time.
    const bool tells = isQuantized(chosen.type) || m_costs != nullptr;
    if (tells) {
      reason.text = "in " + std::string(name(chosen.type)) + " alone" +
                    aloneText(m_alone.noise[place][option]) + timeText(place, option);
    }
    // The alternatives: the layer alone in each other type.
    for (std::size_t other = 0; other < layer.options.size(); ++other) {
      if (other == option) continue;
      const LayerOption& each = layer.options[other];
      reason.text += std::string(reason.text.empty() ? "" : "; ") + "in " +
                     std::string(name(each.type)) + (reason.text.empty() ? " alone" : "") +
                     aloneText(m_alone.noise[place][other]) + timeText(place, other) + " (" +
                     signedNumber(each.bytes - chosen.bytes, 0) + " bytes" +
                     conversionsDecide(place, other) + ")";
    }
    reason.text += groupText(place);
    reason.followers = layer.followers;
    return reason;
  }

 private:
  // Without conversions.
  double ownTime(const SearchLayer& layer, const LayerOption& option) const {
    return layerTime(*m_costs, layer.node, option.computes);
  }

  std::optional<double> speedupOf(const SearchLayer& layer, const LayerOption& chosen) const {
    if (m_costs == nullptr || ownTime(layer, chosen) <= 0) return std::nullopt;
    return layerTime(*m_costs, layer.node, QuantType::Float32) / ownTime(layer, chosen);
  }

  // Between the layer and what it reads and is read by, where those are as chosen.
  double conversions(std::size_t place, std::size_t option) const {
    const SearchLayer& layer = m_space.layers[place];
    double time = layer.options[option].time - ownTime(layer, layer.options[option]);
    for (const LayerBorder& border : m_space.borders) {
      if (border.first != place && border.second != place) continue;
      const std::size_t other = border.first == place ? border.second : border.first;
      const LayerOption& beside = m_space.layers[other].options[m_options[other]];
      if (kindOf(layer.options[option]) != kindOf(beside)) time += border.time;
    }
    return time;
  }

  std::string timeText(std::size_t place, std::size_t option) const {
    if (m_costs == nullptr) return {};
    const SearchLayer& layer = m_space.layers[place];
    std::string text = ", it takes " + microseconds(ownTime(layer, layer.options[option]));
    const double converting = conversions(place, option);
    if (converting > 0) text += " and " + microseconds(converting) + " of conversions";
    return text;
  }

  // Where the other option is faster by itself and not with the conversions that it needs.
  std::string conversionsDecide(std::size_t place, std::size_t other) const {
    if (m_costs == nullptr) return {};
    const SearchLayer& layer = m_space.layers[place];
    const std::size_t option = m_options[place];
    const double slower =
        ownTime(layer, layer.options[option]) - ownTime(layer, layer.options[other]);
    const bool decide =
        slower > 0 && slower <= conversions(place, other) - conversions(place, option);
    return decide ? ", faster but for its conversions" : "";
  }

  std::string groupText(std::size_t place) const {
    if (kindOf(m_space.layers[place].options[m_options[place]]) < 0) return {};
    std::set<std::size_t> others;
    for (const std::vector<std::size_t>& united : m_space.together) {
      if (std::ranges::find(united, place) == united.end()) continue;
      for (const std::size_t other : united) {
        const bool quantized = kindOf(m_space.layers[other].options[m_options[other]]) >= 0;
        if (other != place && quantized) others.insert(other);
      }
    }
    if (others.empty()) return {};
    std::string text = "; on one grid with '" + m_space.layers[*others.begin()].node + "'";
    if (others.size() > 1) text += " and " + std::to_string(others.size() - 1) + " more";
    return text + ", which must be of the same type";
  }

  const SearchSpace& m_space;
  const AloneErrors& m_alone;
  const std::vector<std::size_t>& m_options;
  const CostTable* m_costs;
};

}  // namespace

std::vector<ChoiceReason> choiceReasons(const SearchSpace& space, const AloneErrors& alone,
                                        const std::vector<std::size_t>& options,
                                        const CostTable* costs) {
  const ReasonsOfChoices reasons(space, alone, options, costs);
  std::vector<ChoiceReason> why;
  for (std::size_t i = 0; i < options.size(); ++i) why.push_back(reasons.of(i));
  return why;
}

}  // namespace quantscope
