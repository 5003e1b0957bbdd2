#include "search/measured/choice_reasons.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace quantscope {
namespace {

std::string aloneText(const std::vector<double>& noise) {
  const double worst = noise.empty() ? 0 : std::ranges::max(noise);
  if (worst <= 0) return " the outputs are exact";
  if (worst >= kSpoiltNoise) return " the outputs are not finite";
  std::ostringstream text;
  text << " the worst output has " << std::fixed << std::setprecision(1) << -10 * std::log10(worst)
       << " dB";
  return text.str();
}

ChoiceReason reasonOf(const SearchLayer& layer, std::size_t option,
                      const std::vector<std::vector<double>>& noise) {
  const LayerOption& chosen = layer.options[option];
  ChoiceReason reason;
  reason.node = layer.node;
  reason.measured = true;
  reason.scheme = std::string(name(chosen.type));
  reason.text = "alone in " + std::string(name(chosen.type)) + aloneText(noise[option]);
  // The alternatives: the layer alone in each other type.
  for (std::size_t other = 0; other < layer.options.size(); ++other) {
    if (other == option) continue;
    const LayerOption& each = layer.options[other];
    std::ostringstream bytes;
    bytes << std::fixed << std::setprecision(0) << std::showpos << each.bytes - chosen.bytes;
    reason.text += "; in " + std::string(name(each.type)) + aloneText(noise[other]) + " (" +
                   bytes.str() + " bytes)";
  }
  return reason;
}

}  // namespace

std::vector<ChoiceReason> choiceReasons(const SearchSpace& space, const AloneErrors& alone,
                                        const std::vector<std::size_t>& options) {
  std::vector<ChoiceReason> why;
  for (std::size_t i = 0; i < options.size(); ++i) {
    why.push_back(reasonOf(space.layers[i], options[i], alone.noise[i]));
    why.back().accuracyLoss = alone.drop[i][options[i]];
  }
  return why;
}

}  // namespace quantscope
