#include "engine/operator_runner.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "engine/operator_registry.h"
#include "support/graph_text.h"

namespace quantscope::test {
namespace {

// Declares the inputs that the node names: "x" starts those that are computed.
std::string withDeclarations(std::string_view text) {
  const std::size_t open = text.find('(');
  std::string_view list = text.substr(open + 1, text.find(')') - open - 1);
  std::string declarations;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string name(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    std::erase(name, ' ');
    if (name.empty()) continue;
    const bool computed = name.front() == 'x';
    declarations += computed ? "input " + name + ":float\n" : name + ":float[1]{0}\n";
  }
  return declarations + std::string(text) + "\n";
}

}  // namespace

OperatorRunner::OperatorRunner(std::string_view text, int opset)
    : m_graph(graphFromText(withDeclarations(text), opset)) {
  const Node& node = (*m_graph)[m_graph->main().nodes.front()];
  const KernelFactory factory = operatorRegistry().find(node);
  if (factory == nullptr) throw std::invalid_argument("no kernel for " + node.op);
  m_kernel = factory(node, *m_graph);
}

std::vector<Tensor> OperatorRunner::runAsIs(std::vector<Tensor> inputs) const {
  const Node& node = (*m_graph)[m_graph->main().nodes.front()];
  std::vector<Tensor> outputs(node.outputs.size());
  m_kernel->run(inputs, outputs);
  return outputs;
}

std::vector<Tensor> OperatorRunner::run(std::vector<Tensor> inputs) const {
  std::vector<Tensor> outputs = runAsIs(std::move(inputs));
  for (Tensor& output : outputs) {
    if (output.defined()) output = toLayout(output, Layout::Plain);
  }
  return outputs;
}

Tensor randomTensor(const Shape& shape, unsigned seed) {
  std::mt19937 generator(seed);
  Tensor tensor(ElementType::Float32, shape);
  for (float& element : tensor.mutableValues<float>()) {
    element = static_cast<float>(static_cast<std::int32_t>(generator())) * 0x1p-31F;
  }
  return tensor;
}

Tensor scaled(const Tensor& tensor, float factor) {
  Tensor result(ElementType::Float32, tensor.shape());
  std::ranges::transform(tensor.values<float>(), result.mutableValues<float>().begin(),
                         [factor](float value) { return factor * value; });
  return result;
}

std::vector<double> elements(const Tensor& tensor) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  std::vector<double> result(plain.elementCount());
  visitElementType(plain.type(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto values = plain.values<T>();
      std::copy(values.begin(), values.end(), result.begin());
    } else {
      throw std::invalid_argument("half types are compared as float");
    }
  });
  return result;
}

std::vector<std::int64_t> numbers(std::string_view text) {
  std::vector<std::int64_t> result;
  const char* position = text.data();
  const char* end = position + text.size();
  while (position < end) {
    std::int64_t number = 0;
    position = std::from_chars(position, end, number).ptr + 1;
    result.push_back(number);
  }
  return result;
}

Shape shapeOf(std::string_view text) {
  const std::vector<std::int64_t> extents = numbers(text);
  return Shape(std::span<const std::int64_t>(extents));
}

std::string difference(const Tensor& actual, const Shape& shape,
                       const std::vector<double>& expected, const std::vector<double>& tolerance) {
  if (actual.shape() != shape) {
    return "shape " + toString(actual.shape()) + " instead of " + toString(shape);
  }
  const std::vector<double> values = elements(actual);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double bound = tolerance.size() == 1 ? tolerance[0] : tolerance[i];
    const bool bothNan = std::isnan(values[i]) && std::isnan(expected[i]);
    if (bothNan || values[i] == expected[i] || std::abs(values[i] - expected[i]) <= bound) {
      continue;
    }
    return "element " + std::to_string(i) + " is " + std::to_string(values[i]) + " instead of " +
           std::to_string(expected[i]) + " ± " + std::to_string(bound);
  }
  return {};
}

}  // namespace quantscope::test
