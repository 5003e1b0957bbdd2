#include "export/qdq/qdq_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "export/json/json_number.h"

namespace quantscope {
namespace {

constexpr std::size_t kShownLayers = 5;

// Layers that do not agree wholly, worst first.
std::vector<LayerAgreement> worstLayers(const ExportAgreement& agreement) {
  std::vector<LayerAgreement> worst;
  std::ranges::copy_if(agreement.layers, std::back_inserter(worst),
                       [](const LayerAgreement& layer) { return layer.within < layer.elements; });
  std::ranges::stable_sort(worst, {}, &LayerAgreement::share);
  if (worst.size() > kShownLayers) worst.resize(kShownLayers);
  return worst;
}

}  // namespace

nlohmann::ordered_json agreementJson(const ExportAgreement& agreement) {
  nlohmann::ordered_json json{{"samples", agreement.samples},
                              {"layers", agreement.layers.size()},
                              {"within_one_step", agreement.share()}};
  json["worst"] = nlohmann::ordered_json::array();
  for (const LayerAgreement& layer : worstLayers(agreement)) {
    json["worst"].push_back({{"node", layer.node}, {"within_one_step", layer.share()}});
  }
  json["outputs"] = nlohmann::ordered_json::array();
  for (const OutputAgreement& output : agreement.outputs) {
    json["outputs"].push_back({{"value", output.value},
                               {"to_simulation_db", jsonNumber(output.toSimulationDb)},
                               {"simulation_to_float_db", jsonNumber(output.simulationToFloatDb)},
                               {"to_float_db", jsonNumber(output.toFloatDb)},
                               {"top1_agreement", jsonNumber(output.top1)}});
  }
  return json;
}

std::string agreementSentence(const ExportAgreement& agreement) {
  std::string text =
      "agrees to " + percent(agreement.share()) + " of elements within one step, layer by layer";
  const OutputAgreement* worst = nullptr;
  for (const OutputAgreement& output : agreement.outputs) {
    if (!output.toSimulationDb) continue;
    if (worst == nullptr || *output.toSimulationDb < *worst->toSimulationDb) worst = &output;
  }
  if (worst == nullptr) return text;
  return text + "; output " + worst->value + " to " + computedDecibels(worst->toSimulationDb);
}

std::string agreementText(const ExportAgreement& agreement) {
  std::string text = "agrees to " + percent(agreement.share()) +
                     " of elements within one step in " +
                     counted(agreement.layers.size(), "layer") + " run by themselves\n";
  for (const LayerAgreement& layer : worstLayers(agreement)) {
    text += "  " + percent(layer.share()) + "  " + layer.node + "\n";
  }
  for (const OutputAgreement& output : agreement.outputs) {
    text += "output " + output.value + ": agrees to " + computedDecibels(output.toSimulationDb) +
            " with what was shown; on " + counted(agreement.samples, "sample") + " it is " +
            computedDecibels(output.toFloatDb) + " from the float network, what was shown " +
            computedDecibels(output.simulationToFloatDb);
    if (output.top1) text += "; top-1 " + percent(*output.top1) + " equal";
    text += "\n";
  }
  return text;
}

}  // namespace quantscope
