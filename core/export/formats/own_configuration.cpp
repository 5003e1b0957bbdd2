// The configuration with every scale and zero point that was shown as an encoding, so that it gives
// the same numbers on any calibration data.

#include "export/formats/format.h"
#include "precision/parameters/encoding_of.h"

namespace quantscope {
namespace {

std::optional<Encoding> encodingIfAny(const QuantParams& params) {
  if (params.dynamic || params.grids.empty() || !hasScale(params.type) || isSignCode(params.type)) {
    return std::nullopt;
  }
  return encodingOf(params);
}

void setWeight(const FormatInput& input, const LayerQuantization& layer, Encodings& encodings,
               ExportLosses& losses) {
  const Node& lead = input.graph()[layer.layer.lead()];
  for (const WeightParams& weight : layer.weights) {
    const PointName point{producerName(input.graph(), lead.inputs.at(weight.input)), {}};
    const std::optional<Encoding> encoding = encodingIfAny(weight.params);
    if (!encoding) {
      losses.push_back({lead.name, "weights of type " + std::string(name(weight.params.type)) +
                                       " have no encoding: they are observed again"});
    } else if (const Encoding* known = encodings.find(point); known == nullptr) {
      encodings.entries.emplace_back(point, *encoding);
    } else if (*known != *encoding) {
      losses.push_back({lead.name, "it shares '" + point.producer +
                                       "' with a layer whose scales differ: those count"});
    }
  }
}

}  // namespace

FormatOutput ownConfiguration(const FormatInput& input) {
  FormatOutput output;
  Configuration config = input.config;
  Encodings encodings = *config.encodings;
  const ObserverGroups& groups = input.model.groups;
  for (std::size_t i = 0; i < groups.points.size(); ++i) {
    const std::optional<QuantParams>& params = paramsOf(input.model, i);
    // The backend sets a fixed grid again by itself.
    if (!params || groups.points[i].fixed) continue;
    const PointName point = pointName(input.graph(), groups.points[i]);
    if (encodings.find(point) != nullptr) continue;
    if (const std::optional<Encoding> encoding = encodingIfAny(*params)) {
      encodings.entries.emplace_back(point, *encoding);
    }
  }
  for (const LayerQuantization& layer : input.model.layers) {
    setWeight(input, layer, encodings, output.losses);
  }
  config.encodings = SharedPart<Encodings>(std::move(encodings));
  output.text = toJson(config);
  return output;
}

}  // namespace quantscope
