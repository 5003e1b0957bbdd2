#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quantscope {

class JsonReader;

/// What becomes of the bias of a layer whose input and weights are static integers (the bias of
/// any other layer stays float). Its integer grid has the scale s_input · s_weight, per channel
/// where the weights have one, and no zero point.
enum class BiasRule : std::uint8_t {
  Float,     ///< added after rescaling, as it is: PyTorch's FBGEMM and oneDNN kernels
  Int32,     ///< rounded to that grid, beyond int32 cut off: PyTorch's QNNPACK kernels
  Int32Fit,  ///< as Int32, after s_weight grew until the bias fits: ONNX Runtime's quantizer
};

/// "float", "int32", "int32-fit", as in files.
const char* name(BiasRule rule);
/// None for any other text.
std::optional<BiasRule> biasRuleFromName(std::string_view name);
/// The same read; fails with the reader's path for any other text.
BiasRule readBiasRule(const JsonReader& reader);

}  // namespace quantscope
