#include "engine/repetition/batched_scan.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"
#include "engine/axis_slices.h"

namespace quantscope {
namespace {

ScanSettings settingsOf(const Graph& graph, const Node& node) {
  const Block& body = graph[node.body("body")];
  const std::int64_t scanned = node.integer("num_scan_inputs", 0);
  if (scanned < 1 || static_cast<std::size_t>(scanned) > body.inputs.size() ||
      node.inputs.size() != body.inputs.size() + 1) {
    throw Error(ErrorCode::InvalidModel, "Scan's inputs do not fit its body");
  }
  ScanSettings settings;
  settings.states = body.inputs.size() - static_cast<std::size_t>(scanned);
  settings.inputs.resize(static_cast<std::size_t>(scanned));
  const std::vector<std::int64_t> directions = node.integers("directions");
  for (std::size_t i = 0; i < std::min(directions.size(), settings.inputs.size()); ++i) {
    settings.inputs[i].backward = directions[i] != 0;
  }
  if (body.outputs.size() < settings.states) {
    throw Error(ErrorCode::InvalidModel, "Scan's body has fewer outputs than Scan has states");
  }
  for (std::size_t i = settings.states; i < body.outputs.size(); ++i) {
    settings.outputs.push_back({0, false, graph[body.outputs[i]].type});
  }
  return settings;
}

// Zeros behind the elements, up to that extent of axis 0.
Tensor padded(const Tensor& tensor, std::int64_t extent) {
  if (tensor.shape()[0] == extent) return tensor;
  Shape shape = tensor.shape();
  shape[0] = extent;
  Tensor result = Tensor::zeros(tensor.type(), shape);
  if (tensor.byteSize() > 0) std::memcpy(result.mutableBytes(), tensor.bytes(), tensor.byteSize());
  return result;
}

}  // namespace

BatchedScan::BatchedScan(const Graph& graph, const Node& node, std::span<const Tensor> inputs)
    : m_settings(settingsOf(graph, node)), m_inputs(inputs.begin() + 1, inputs.end()) {
  for (const Tensor& input : m_inputs) {
    if (!input.defined()) throw Error(ErrorCode::InvalidModel, "an input of Scan is missing");
    if (input.shape().rank() < 1 || input.shape()[0] != m_inputs[0].shape()[0]) {
      throw Error(ErrorCode::InvalidModel, "Scan's inputs differ in their number of samples");
    }
  }
  const Tensor& scanned = m_inputs[m_settings.states];
  if (scanned.shape().rank() < 2) {
    throw Error(ErrorCode::InvalidModel, "Scan's input has no axis to scan");
  }
  m_longest = scanned.shape()[1];
  m_lengths.assign(static_cast<std::size_t>(scanned.shape()[0]), m_longest);
  if (inputs[0].defined()) {
    const std::vector<std::int64_t> lengths = toIntegers(inputs[0]);
    if (lengths.size() != m_lengths.size()) {
      throw Error(ErrorCode::InvalidModel, "Scan has " + std::to_string(lengths.size()) +
                                               " sequence lengths for " +
                                               std::to_string(m_lengths.size()) + " samples");
    }
    m_lengths = lengths;
  }
  for (const ValueId output : graph[node.body("body")].outputs) {
    m_types.push_back(graph[output].type);
  }
  if (running()) startSample();
  finishEndedSamples();
}

void BatchedScan::startSample() {
  std::vector<Tensor> inputs;
  for (const Tensor& input : m_inputs) {
    inputs.push_back(sliceAt(input, 0, static_cast<std::int64_t>(m_sample)));
  }
  m_scan = std::make_unique<Scan>(m_settings, inputs, m_lengths[m_sample]);
}

void BatchedScan::finish(std::span<const Tensor> bodyOutputs) {
  m_scan->finish(bodyOutputs);
  finishEndedSamples();
}

void BatchedScan::finishEndedSamples() {
  while (running() && !m_scan->running()) {
    std::vector<Tensor> results = m_scan->results();
    for (std::size_t i = m_settings.states; i < results.size(); ++i) {
      results[i] = padded(results[i], m_longest);
    }
    m_finished.push_back(std::move(results));
    ++m_sample;
    if (running()) startSample();
  }
}

std::vector<Tensor> BatchedScan::results() const {
  std::vector<Tensor> all;
  for (std::size_t i = 0; i < m_types.size(); ++i) {
    std::vector<Tensor> samples;
    for (const std::vector<Tensor>& sample : m_finished) samples.push_back(sample[i]);
    ValueType type = m_types[i];
    if (i >= m_settings.states && type.shape) {
      type.shape->insert(type.shape->begin(), Dimension{.extent = m_longest, .symbol = {}});
    }
    all.push_back(stackOnAxis(samples, 0, type));
  }
  return all;
}

}  // namespace quantscope
