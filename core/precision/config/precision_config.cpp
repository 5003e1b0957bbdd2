#include "precision/config/precision_config.h"

namespace quantscope {

const char* name(Convention convention) {
  return convention == Convention::Onnx ? "onnx" : "pytorch";
}

NodePrecision defaultPrecision() {
  NodePrecision precision;
  precision.weight.type = QuantType::Int8;
  precision.weight.granularity.kind = Granularity::Kind::PerChannel;
  precision.activation.type = QuantType::UInt8;
  precision.activation.symmetric = false;
  precision.output = precision.activation;
  return precision;
}

std::vector<const NodePrecision*> PrecisionConfig::allPrecisions() const {
  std::vector<const NodePrecision*> list{&defaults};
  for (const auto& [op, precision] : opTypes) list.push_back(&precision);
  for (const PatternPrecision& pattern : patterns) list.push_back(&pattern.use);
  for (const auto& [node, precision] : nodes) list.push_back(&precision);
  return list;
}

}  // namespace quantscope
