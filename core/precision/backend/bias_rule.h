#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quantscope {

class JsonReader;

/// How the bias is quantized in a layer whose input and weights are static integers. In all other
/// layers the bias stays float. Its integer grid has the scale s_input · s_weight, per channel
/// where the weights have one, and no zero point.
enum class BiasRule : std::uint8_t {
  Float,     ///< added in float after rescaling: PyTorch's FBGEMM and oneDNN kernels
  Int32,     ///< rounded to that grid and clamped to int32: PyTorch's QNNPACK kernels
  Int32Fit,  ///< as Int32, after s_weight grew until the bias fits: ONNX Runtime's quantizer
};

/// "float", "int32", "int32-fit", as in files.
const char* name(BiasRule rule);
/// nullopt for any other text.
std::optional<BiasRule> biasRuleFromName(std::string_view name);
/// The same read; fails with the reader's path for any other text.
BiasRule readBiasRule(const JsonReader& reader);

}  // namespace quantscope
