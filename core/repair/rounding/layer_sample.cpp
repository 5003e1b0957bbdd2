#include "repair/rounding/layer_sample.h"

#include <algorithm>

#include "engine/onednn/sgemm.h"
#include "repair/rounding/layer_columns.h"

namespace quantscope {

LayerSample sampleColumns(LayerPass& pass, const Engine& engine, const LinearLayer& layer,
                          std::size_t most, const JobContext& job) {
  const std::size_t feeds = pass.feedCount();
  const std::size_t perFeed = std::max<std::size_t>(1, most / std::max<std::size_t>(1, feeds));
  const std::size_t used = std::min(feeds, most);
  struct Part {
    std::size_t columns = 0;
    std::vector<float> twin;
    std::vector<float> quantized;
  };
  std::vector<Part> parts(used);
  job.workers().forEach(used, [&](std::size_t i) {
    job.throwIfCancelled();
    const LayerInputs inputs = pass.inputs(layer, i * feeds / used);
    LayerColumns twin(engine, layer, inputs.twin);
    LayerColumns quantized(engine, layer, inputs.quantized);
    const std::size_t positions = std::min(twin.positions(), quantized.positions());
    Part& part = parts[i];
    part.columns = std::min(positions, perFeed);
    const std::size_t stride = part.columns * layer.inputs;
    part.twin.resize(layer.groups * stride);
    part.quantized.resize(layer.groups * stride);
    for (std::size_t p = 0; p < part.columns; ++p) {
      // One position of each share; which one differs from feed to feed.
      const std::size_t position = (p * positions + (i * 7919) % positions) / part.columns;
      const std::size_t at = std::min(position, positions - 1);
      twin.copy(at, part.twin.data() + p * layer.inputs, stride);
      quantized.copy(at, part.quantized.data() + p * layer.inputs, stride);
    }
  });
  LayerSample sample;
  for (const Part& part : parts) sample.columns += part.columns;
  for (std::size_t group = 0; group < layer.groups; ++group) {
    for (const Part& part : parts) {
      const auto first = static_cast<std::ptrdiff_t>(group * part.columns * layer.inputs);
      const auto count = static_cast<std::ptrdiff_t>(part.columns * layer.inputs);
      sample.twin.insert(sample.twin.end(), part.twin.begin() + first,
                         part.twin.begin() + first + count);
      sample.quantized.insert(sample.quantized.end(), part.quantized.begin() + first,
                              part.quantized.begin() + first + count);
    }
  }
  return sample;
}

std::vector<float> layerProducts(const LinearLayer& layer, const std::vector<float>& x,
                                 std::size_t columns, const float* weight) {
  const std::size_t outputs = layer.outputsPerGroup();
  std::vector<float> y(layer.groups * columns * outputs);
  std::vector<float> rows(layer.transposed ? outputs * layer.inputs : 0);
  for (std::size_t group = 0; group < layer.groups; ++group) {
    const float* own = layer.inputsFirst ? weight : weight + group * outputs * layer.inputs;
    if (layer.transposed) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = weight[layer.element(group * outputs + i / layer.inputs, i % layer.inputs)];
      }
      own = rows.data();
    }
    onednn::multiplyAtOnce({x.data() + group * columns * layer.inputs}, {own, !layer.inputsFirst},
                           y.data() + group * columns * outputs, static_cast<std::int64_t>(columns),
                           static_cast<std::int64_t>(outputs),
                           static_cast<std::int64_t>(layer.inputs));
  }
  return y;
}

}  // namespace quantscope
