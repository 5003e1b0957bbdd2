#pragma once

#include <cstdint>
#include <string>

#include "precision/config/precision_config.h"

namespace quantscope {

/// The tensors of a node that a precision applies to.
enum class TensorRole : std::uint8_t { Weight, Activation, Output };

/// "int8 symmetric per-channel", "uint8 asymmetric per-tensor static percentile:0.1:99.9",
/// "int4 symmetric per-group of 32 along axis 1", "fp16". Extremes as the observer and the use of
/// all codes go without saying.
std::string words(const TensorPrecision& precision, TensorRole role);

/// The same of two that differ, as short as tells them apart: "int8 per-channel → int4 per-group of
/// 32". Type and granularity are always said.
std::string wordsOfChange(const TensorPrecision& before, const TensorPrecision& after,
                          TensorRole role);

/// "from -1 to 2.5"
std::string rangeWords(const Range& range);

/// "weights", "activations", "outputs".
const char* words(TensorRole role);

/// "per-tensor", "per-channel", "per-channel along axis 1", "per-group of 32 along axis 1".
std::string words(const Granularity& granularity);

}  // namespace quantscope
