#include "engine/node_cases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "onnx/import.h"

namespace quantscope::test {
namespace {

namespace fs = std::filesystem;

// Where Debian's libonnx-testdata puts them.
constexpr const char* kDataFolder = "/usr/share/libonnx-testdata/data";
constexpr std::array kKinds = {"node", "pytorch-converted", "pytorch-operator", "simple"};

// NumPy has no bfloat16: the data files hold its bits as uint16, only the model tells.
Tensor asDeclared(const Tensor& tensor, const ValueType& type) {
  if (tensor.type() != ElementType::UInt16 || type.element != ElementType::BFloat16) return tensor;
  Tensor result(ElementType::BFloat16, tensor.shape());
  std::memcpy(result.mutableBytes(), tensor.bytes(), tensor.byteSize());
  return result;
}

// name_0.pb, name_1.pb, … of one set.
std::vector<Tensor> readTensors(const fs::path& folder, const std::string& name) {
  std::vector<Tensor> tensors;
  for (;;) {
    const fs::path file = folder / (name + "_" + std::to_string(tensors.size()) + ".pb");
    if (!fs::exists(file)) return tensors;
    tensors.push_back(readTensorFile(file));
  }
}

std::vector<Tensor> outputsOn(const Engine& engine, const std::vector<Tensor>& inputs) {
  const Graph& graph = engine.graph();
  std::vector<std::pair<ValueId, Tensor>> given;
  const std::size_t count = std::min(inputs.size(), graph.inputs().size());
  for (std::size_t i = 0; i < count; ++i) {
    const ValueId input = graph.inputs()[i];
    given.emplace_back(input, asDeclared(inputs[i], graph[input].type));
  }
  const std::vector<ValueId> outputs(graph.outputs().begin(), graph.outputs().end());
  const std::vector<ValueId> available(graph.inputs().begin(), graph.inputs().end());
  const Plan plan(engine, {available, outputs, outputs});
  Execution execution(plan, given);
  execution.run();
  std::vector<Tensor> results;
  for (const ValueId output : outputs) results.push_back(execution.value(output));
  return results;
}

std::string runSet(const Engine& engine, const fs::path& folder) {
  const std::vector<Tensor> expected = readTensors(folder, "output");
  const std::vector<Tensor> actual = outputsOn(engine, readTensors(folder, "input"));
  const Graph& graph = engine.graph();
  if (actual.size() < expected.size()) return "outputs are missing";
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tensor wanted = asDeclared(expected[i], graph[graph.outputs()[i]].type);
    const std::string difference = nodeCaseDifference(actual[i], wanted);
    if (!difference.empty()) return "output " + std::to_string(i) + ": " + difference;
  }
  return {};
}

bool close(double actual, double expected) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (!std::isfinite(expected)) return actual == expected;
  return std::abs(actual - expected) <= 1e-7 + 1e-3 * std::abs(expected);
}

template <class T>
std::string elementsDifference(const Tensor& actual, const Tensor& expected) {
  const auto values = actual.values<T>();
  const auto wanted = expected.values<T>();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    bool same = values[i] == wanted[i];
    if constexpr (std::is_floating_point_v<T>) same = close(values[i], wanted[i]);
    if (same) continue;
    return "element " + std::to_string(i) + " is " + std::to_string(values[i]) + " instead of " +
           std::to_string(wanted[i]);
  }
  return {};
}

}  // namespace

std::vector<NodeCase> installedNodeCases() {
  std::vector<NodeCase> cases;
  for (const std::string kind : kKinds) {
    const fs::path folder = fs::path(kDataFolder) / kind;
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!fs::exists(entry.path() / "model.onnx")) continue;
      cases.push_back({kind + "/" + entry.path().filename().string(), entry.path()});
    }
  }
  std::ranges::sort(cases, {}, &NodeCase::name);
  return cases;
}

bool expectsTruncatedBits(const NodeCase& nodeCase) {
  const fs::path set = nodeCase.folder / "test_data_set_0";
  const std::vector<Tensor> outputs = readTensors(set, "output");
  if (outputs.empty() || outputs[0].type() != ElementType::UInt16) return false;
  const std::vector<Tensor> inputs = readTensors(set, "input");
  if (inputs.empty() || inputs[0].type() != ElementType::Float32) return false;
  const Tensor rounded = fromFloat32(inputs[0], ElementType::BFloat16);
  bool differs = false;
  for (std::size_t i = 0; i < outputs[0].elementCount(); ++i) {
    const std::uint16_t expected = outputs[0].values<std::uint16_t>()[i];
    if (expected != std::bit_cast<std::uint32_t>(inputs[0].values<float>()[i]) >> 16) return false;
    differs = differs || expected != rounded.values<BFloat16>()[i].bits;
  }
  return differs;
}

std::string runNodeCase(const NodeCase& nodeCase, const Workers& workers) {
  std::string difference;
  try {
    const Engine engine(importModel(nodeCase.folder / "model.onnx"), workers);
    for (const NotExecutable& node : engine.notExecutable()) return node.reason;
    for (const auto& entry : fs::directory_iterator(nodeCase.folder)) {
      if (!entry.is_directory() || !difference.empty()) continue;
      workers.run([&] { difference = runSet(engine, entry.path()); });
    }
  } catch (const Error& error) {
    return error.what();
  }
  return difference;
}

std::string nodeCaseDifference(const Tensor& actual, const Tensor& expected) {
  if (!actual.defined()) return "was not computed";
  if (!expected.defined()) return "is expected to be something else than a tensor of numbers";
  if (actual.type() != expected.type() || actual.shape() != expected.shape()) {
    const auto text = [](const Tensor& tensor) {
      return std::string(name(tensor.type())) + toString(tensor.shape());
    };
    return "is " + text(actual) + " instead of " + text(expected);
  }
  if (isFloat(actual.type()) && actual.type() != ElementType::Float64) {
    return elementsDifference<float>(toFloat32(actual), toFloat32(expected));
  }
  std::string difference;
  visitElementType(actual.type(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) difference = elementsDifference<T>(actual, expected);
  });
  return difference;
}

}  // namespace quantscope::test
