#pragma once

#include "base/files/byte_archive.h"
#include "quant/granularity.h"
#include "quant/quant_params.h"

namespace quantscope {

template <class Archive>
void carry(Archive& archive, Range& range) {
  carryAll(archive, range.low, range.high, range.empty);
}

template <class Archive>
void carry(Archive& archive, QuantType& type) {
  carryEnum(archive, type, QuantType::Binary);
}

template <class Archive>
void carry(Archive& archive, Granularity& granularity) {
  carryEnum(archive, granularity.kind, Granularity::Kind::PerGroup);
  carryAll(archive, granularity.axis, granularity.groupSize);
}

}  // namespace quantscope
