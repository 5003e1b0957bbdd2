#include "precision/config/replace_types.h"

namespace quantscope {
namespace {

void setActivationType(TensorPrecision& precision, QuantType type) {
  if (!isQuantized(precision.type)) return;
  setType(precision, withSign(type, isSigned(precision.type)));
  if (isSignCode(type) || !hasScale(type)) precision.granularity = Granularity();
}

}  // namespace

void setType(TensorPrecision& precision, QuantType type) {
  precision.type = type;
  precision.lowest.reset();
  precision.highest.reset();
  precision.range.reset();
  if (!hasScale(type) || isSignCode(type)) precision.observer = {};
  if (isQuantized(type) && !canBeAsymmetric(type)) precision.symmetric = true;
  if (hasScale(type) || precision.granularity.kind == Granularity::Kind::PerTensor) return;
  precision.granularity = {Granularity::Kind::PerChannel, {}, 0};
}

NodePrecision withType(NodePrecision precision, QuantType type) {
  precision.float32 = !isQuantized(type);
  if (precision.float32) return precision;
  setType(precision.weight, type);
  setActivationType(precision.activation, type);
  setActivationType(precision.output, type);
  return precision;
}

NodePrecision withOnly(NodePrecision precision, PrecisionPart part) {
  if (part == PrecisionPart::Activations) setType(precision.weight, QuantType::Float32);
  if (part == PrecisionPart::Weights) {
    setType(precision.activation, QuantType::Float32);
    setType(precision.output, QuantType::Float32);
  }
  return precision;
}

}  // namespace quantscope
