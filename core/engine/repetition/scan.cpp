#include "engine/repetition/scan.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "engine/axis_slices.h"

namespace quantscope {
namespace {

std::vector<ScanSettings::Stream> streams(const Node& node, std::string_view kind,
                                          std::size_t count) {
  const std::string prefix = "scan_" + std::string(kind);
  const std::vector<std::int64_t> axes = node.integers(prefix + "_axes");
  const std::vector<std::int64_t> directions = node.integers(prefix + "_directions");
  if ((!axes.empty() && axes.size() != count) ||
      (!directions.empty() && directions.size() != count)) {
    throw Error(ErrorCode::InvalidModel, "Scan has " + std::to_string(count) + " scanned " +
                                             std::string(kind) +
                                             "s but another number of axes or directions");
  }
  std::vector<ScanSettings::Stream> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!axes.empty()) result[i].axis = axes[i];
    if (!directions.empty()) result[i].backward = directions[i] != 0;
  }
  return result;
}

}  // namespace

ScanSettings scanSettings(const Graph& graph, const Node& node) {
  const Block& body = graph[node.body("body")];
  const std::int64_t scanned = node.integer("num_scan_inputs", 0);
  if (scanned < 1 || static_cast<std::size_t>(scanned) > node.inputs.size() ||
      body.inputs.size() != node.inputs.size()) {
    throw Error(ErrorCode::InvalidModel, "Scan has " + std::to_string(node.inputs.size()) +
                                             " inputs, of which " + std::to_string(scanned) +
                                             " are scanned, and a body with " +
                                             std::to_string(body.inputs.size()) + " inputs");
  }
  ScanSettings settings;
  settings.states = node.inputs.size() - static_cast<std::size_t>(scanned);
  if (body.outputs.size() < settings.states) {
    throw Error(ErrorCode::InvalidModel, "Scan's body has fewer outputs than Scan has states");
  }
  settings.inputs = streams(node, "input", static_cast<std::size_t>(scanned));
  settings.outputs = streams(node, "output", body.outputs.size() - settings.states);
  for (std::size_t i = 0; i < settings.outputs.size(); ++i) {
    settings.outputs[i].type = graph[body.outputs[settings.states + i]].type;
  }
  return settings;
}

Scan::Scan(ScanSettings settings, std::span<const Tensor> inputs,
           std::optional<std::int64_t> length)
    : m_settings(std::move(settings)), m_collected(m_settings.outputs.size()) {
  if (inputs.size() != m_settings.states + m_settings.inputs.size() ||
      !std::ranges::all_of(inputs, &Tensor::defined)) {
    throw Error(ErrorCode::InvalidModel, "an input of Scan is missing");
  }
  const std::span<const Tensor> scanned = inputs.subspan(m_settings.states);
  m_states.assign(inputs.begin(), inputs.end() - static_cast<std::ptrdiff_t>(scanned.size()));
  m_scanned.assign(scanned.begin(), scanned.end());
  for (std::size_t i = 0; i < m_scanned.size(); ++i) {
    const Shape& shape = m_scanned[i].shape();
    std::int64_t& axis = m_settings.inputs[i].axis;
    axis = static_cast<std::int64_t>(normalizeAxis(axis, shape.rank()));
    const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
    if (m_length >= 0 && extent != m_length) {
      throw Error(ErrorCode::InvalidModel,
                  "Scan's inputs differ in length: " + std::to_string(m_length) + " and " +
                      std::to_string(extent));
    }
    m_length = extent;
  }
  if (!length) return;
  if (*length < 0 || *length > m_length) {
    throw Error(ErrorCode::InvalidParameters, "a sequence of length " + std::to_string(*length) +
                                                  " does not fit into " + std::to_string(m_length));
  }
  m_length = *length;
}

std::vector<Tensor> Scan::bodyInputs() const {
  std::vector<Tensor> inputs = m_states;
  for (std::size_t i = 0; i < m_scanned.size(); ++i) {
    const ScanSettings::Stream& stream = m_settings.inputs[i];
    inputs.push_back(sliceAt(m_scanned[i], static_cast<std::size_t>(stream.axis),
                             stream.backward ? m_length - 1 - m_index : m_index));
  }
  return inputs;
}

void Scan::finish(std::span<const Tensor> bodyOutputs) {
  for (std::size_t i = 0; i < m_states.size(); ++i) m_states[i] = bodyOutputs[i];
  for (std::size_t i = 0; i < m_collected.size(); ++i) {
    m_collected[i].push_back(bodyOutputs[m_states.size() + i]);
  }
  ++m_index;
}

std::vector<Tensor> Scan::results() const {
  std::vector<Tensor> all = m_states;
  for (std::size_t i = 0; i < m_collected.size(); ++i) {
    const ScanSettings::Stream& stream = m_settings.outputs[i];
    std::vector<Tensor> items = m_collected[i];
    if (stream.backward) std::ranges::reverse(items);
    all.push_back(stackOnAxis(items, stream.axis, stream.type));
  }
  return all;
}

}  // namespace quantscope
