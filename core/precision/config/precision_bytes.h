#pragma once

#include "precision/config/precision_config.h"
#include "quant/quant_bytes.h"

namespace quantscope {

template <class Archive>
void carry(Archive& archive, ObserverSpec& observer) {
  carryEnum(archive, observer.kind, ObserverSpec::Kind::MaxCodeEntropy);
  carryAll(archive, observer.averagingConstant, observer.bins, observer.lowPercent,
           observer.highPercent);
}

template <class Archive>
void carry(Archive& archive, TensorPrecision& precision) {
  carryAll(archive, precision.type, precision.symmetric, precision.granularity, precision.observer,
           precision.dynamic, precision.range, precision.lowest, precision.highest);
}

template <class Archive>
void carry(Archive& archive, NodePrecision& precision) {
  carryAll(archive, precision.float32, precision.weight, precision.activation, precision.output);
}

template <class Archive>
void carry(Archive& archive, BiasRule& rule) {
  carryEnum(archive, rule, BiasRule::Int32Fit);
}

}  // namespace quantscope
