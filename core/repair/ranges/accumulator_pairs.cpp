#include "repair/ranges/accumulator_pairs.h"

#include <algorithm>

#include "engine/tensor_codes.h"

namespace quantscope {

std::size_t unsafePairs(std::span<const std::int8_t> codes) {
  // 255·128 = 32,640 is the largest multiple of 255 within int16, on either side.
  constexpr int kMost = 128;
  std::size_t unsafe = 0;
  for (std::size_t i = 0; i + 1 < codes.size(); i += 2) {
    const int first = codes[i];
    const int second = codes[i + 1];
    unsafe += std::max(first, 0) + std::max(second, 0) > kMost ||
              std::min(first, 0) + std::min(second, 0) < -kMost;
  }
  return unsafe;
}

std::size_t unsafePairs(const Engine& engine, const QuantizedModel& model,
                        const LinearLayer& layer) {
  const LayerQuantization& quantization = model.layers[layer.index];
  const QuantParams& params = weightParamsOf(model, layer);
  const bool bytes = params.type == QuantType::Int8 && quantization.activation &&
                     quantization.activation->type == QuantType::UInt8;
  if (!bytes) return 0;
  const Tensor codes = codesOf(weightOf(engine, layer), params);
  std::size_t unsafe = 0;
  std::vector<std::int8_t> row(layer.inputs);
  for (std::size_t output = 0; output < layer.outputs; ++output) {
    for (std::size_t k = 0; k < layer.inputs; ++k) {
      row[k] = codes.values<std::int8_t>()[layer.element(output, k)];
    }
    unsafe += unsafePairs(row);
  }
  return unsafe;
}

}  // namespace quantscope
