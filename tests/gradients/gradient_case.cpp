#include "gradients/gradient_case.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/workers.h"
#include "engine/execution.h"
#include "engine/operators/convert.h"

namespace quantscope::test {
namespace {

Tensor made(const Shape& shape, ElementType type, Numbers numbers, std::mt19937& random) {
  Tensor tensor(ElementType::Float64, shape);
  const std::span<double> elements = tensor.mutableValues<double>();
  // std::uniform_real_distribution differs between libraries.
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0; };
  if (numbers == Numbers::Distinct) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      elements[i] = 0.1 * (static_cast<double>(i) - static_cast<double>(elements.size()) / 2 + 0.5);
    }
    for (std::size_t i = elements.size(); i > 1; --i)
      std::swap(elements[i - 1], elements[random() % i]);
    return convertedTo(tensor, type);
  }
  for (double& element : elements) {
    const double u = unit();
    if (numbers == Numbers::Positive) element = 0.3 + 1.4 * u;
    if (numbers == Numbers::Unit) element = 0.1 + 0.8 * u;
    if (numbers == Numbers::Signed) element = (0.1 + 1.4 * u) * (random() % 2 == 0 ? 1 : -1);
  }
  return convertedTo(tensor, type);
}

class Collector final : public ReverseListener {
 public:
  Collector(const std::vector<ValueId>& wanted, const std::vector<Tensor>& cotangents)
      : results(wanted.size()), m_wanted(wanted), m_cotangents(cotangents) {}

  std::vector<std::vector<Tensor>> begin(const Values& /*values*/) override {
    return {m_cotangents};
  }
  void take(ValueId source, std::span<const Tensor> cotangents, const Values&) override {
    for (std::size_t i = 0; i < m_wanted.size(); ++i) {
      if (m_wanted[i] == source) results[i] = cotangents[0];
    }
  }

  std::vector<Tensor> results;

 private:
  const std::vector<ValueId>& m_wanted;
  const std::vector<Tensor>& m_cotangents;
};

// Differences are taken in the type that the network computes in.
Feeds moved(const Feeds& feeds, const std::vector<Tensor>& direction, double distance) {
  Feeds result;
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const Tensor x = convertedTo(feeds[i].second, ElementType::Float64);
    const Tensor v = convertedTo(direction[i], ElementType::Float64);
    Tensor y(ElementType::Float64, x.shape());
    for (std::size_t k = 0; k < x.elementCount(); ++k) {
      y.mutableValues<double>()[k] = x.values<double>()[k] + distance * v.values<double>()[k];
    }
    result.emplace_back(feeds[i].first, convertedTo(y, feeds[i].second.type()));
  }
  return result;
}

Tensor asPlainDouble(const Tensor& tensor) {
  return convertedTo(toLayout(tensor, Layout::Plain), ElementType::Float64);
}

}  // namespace

Feeds makeFeeds(const Graph& graph, Numbers numbers, unsigned seed) {
  std::mt19937 random(seed);
  Feeds feeds;
  for (const ValueId input : graph.inputs()) {
    const ValueType& type = graph[input].type;
    if (!type.element || !isFloat(*type.element)) continue;
    Shape shape;
    for (const Dimension& dimension : *type.shape) shape.append(dimension.extent);
    feeds.emplace_back(input, made(shape, *type.element, numbers, random));
  }
  return feeds;
}

std::vector<Tensor> cotangentsOf(const Engine& engine, const Feeds& feeds,
                                 const std::vector<ValueId>& values,
                                 const std::vector<Tensor>& cotangents, std::size_t budget) {
  std::vector<ReverseSource> sources;
  for (const ValueId value : values) sources.push_back({value, {}});
  const std::span<const ValueId> outputs = engine.graph().outputs();
  const ReversePass pass(engine, {outputs.begin(), outputs.end()}, sources);
  Collector collector(values, cotangents);
  const Workers workers(1);
  const JobContext job(workers);
  workers.run([&] { pass.run(feeds, collector, budget, job); });
  return collector.results;
}

std::vector<Tensor> cotangentsOfInputs(const Engine& engine, const Feeds& feeds,
                                       const std::vector<Tensor>& cotangents, std::size_t budget) {
  std::vector<ValueId> values;
  for (const auto& [value, tensor] : feeds) values.push_back(value);
  return cotangentsOf(engine, feeds, values, cotangents, budget);
}

std::vector<Tensor> outputsOf(const Engine& engine, const Feeds& feeds) {
  const Plan plan = planForOutputs(engine);
  std::vector<Tensor> outputs;
  Workers(1).run([&] {
    Execution execution(plan, feeds);
    execution.run();
    for (const ValueId output : engine.graph().outputs())
      outputs.push_back(execution.value(output));
  });
  return outputs;
}

std::vector<Tensor> randomLike(const std::vector<Tensor>& like, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Tensor> result;
  for (const Tensor& tensor : like) {
    Tensor elements(ElementType::Float64, tensor.shape());
    for (double& element : elements.mutableValues<double>()) {
      element = static_cast<double>(random()) / 2147483648.0 - 1;
    }
    result.push_back(convertedTo(elements, tensor.type()));
  }
  return result;
}

double dot(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].defined() || !b[i].defined()) continue;
    const Tensor x = asPlainDouble(a[i]);
    const Tensor y = asPlainDouble(b[i]);
    for (std::size_t k = 0; k < x.elementCount(); ++k) {
      sum += x.values<double>()[k] * y.values<double>()[k];
    }
  }
  return sum;
}

double directionalDerivative(const Engine& engine, const Feeds& feeds,
                             const std::vector<Tensor>& direction,
                             const std::vector<Tensor>& cotangents, double step) {
  const auto at = [&](int k) {
    return dot(cotangents, outputsOf(engine, moved(feeds, direction, k * step)));
  };
  return (45 * (at(1) - at(-1)) - 9 * (at(2) - at(-2)) + (at(3) - at(-3))) / (60 * step);
}

double relativeError(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t count = b[i].defined() ? b[i].elementCount() : a[i].elementCount();
    const Tensor x = a[i].defined() ? asPlainDouble(a[i]) : Tensor();
    const Tensor y = b[i].defined() ? asPlainDouble(b[i]) : Tensor();
    for (std::size_t k = 0; k < count; ++k) {
      const double p = x.defined() ? x.values<double>()[k] : 0;
      const double q = y.defined() ? y.values<double>()[k] : 0;
      error += (p - q) * (p - q);
      size += q * q;
    }
  }
  return size > 0 ? std::sqrt(error / size) : std::sqrt(error);
}

}  // namespace quantscope::test
