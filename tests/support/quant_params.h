#pragma once

#include <QString>

#include "quant/quant_params.h"

namespace quantscope::test {

/// A range that is not empty.
inline Range rangeFrom(float low, float high) {
  return {low, high, false};
}

/// One grid for the whole tensor.
inline QuantParams paramsOn(float scale, std::int32_t zeroPoint = 0) {
  QuantParams params;
  params.grids = {{scale, zeroPoint}};
  return params;
}

/// All codes of a type, without grids.
inline QuantParams paramsFor(const QString& type, bool symmetric) {
  QuantParams params;
  params.type = *quantTypeFromName(type.toStdString());
  params.qmin = lowestCode(params.type);
  params.qmax = highestCode(params.type);
  params.symmetric = symmetric;
  return params;
}

}  // namespace quantscope::test
