#include "fuzz/exercise_model.h"

#include <algorithm>

#include "base/job_context.h"
#include "base/workers.h"
#include "engine/engine.h"
#include "engine/execution.h"
#include "engine/plan.h"
#include "fuzz/fuzz_target.h"
#include "onnx/import.h"
#include "onnx/operator_versions.h"
#include "onnx/upgrade/upgrade_opset.h"
#include "onnx/writing/model_draft.h"
#include "onnx/writing/write_model.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope::test {
namespace {

// Large models are legal; a fuzzer learns nothing from them.
constexpr std::int64_t kMostElements = 1 << 12;
constexpr std::size_t kMostSteps = 256;
constexpr std::int64_t kUnknownExtent = 2;

const Workers& workers() {
  static const Workers one(1);
  return one;
}

bool small(const Shape& shape) {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] > kMostElements) return false;
    count *= std::max<std::int64_t>(1, shape[axis]);
    if (count > kMostElements) return false;
  }
  return true;
}

Shape shapeOf(const Value& value) {
  Shape shape;
  if (!value.type.shape) return shape;
  for (const Dimension& dimension : *value.type.shape) {
    shape.append(dimension.extent >= 0 ? dimension.extent : kUnknownExtent);
  }
  return shape;
}

Tensor filled(ElementType type, const Shape& shape) {
  Tensor tensor = Tensor::zeros(type, shape);
  visitElementType(type, [&]<class T>() {
    const auto values = tensor.mutableValues<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_arithmetic_v<T>) values[i] = static_cast<T>(i % 5);
    }
  });
  return tensor;
}

// Whether the known shape of every value is small.
bool allSmall(const Graph& graph) {
  return std::ranges::all_of(graph.values(), [](const Value& value) {
    return !value.type.shape || value.type.shape->size() > Shape::kMaxRank || small(shapeOf(value));
  });
}

void run(const Engine& engine, const QuantizedModel* quantized) {
  const Graph& graph = engine.graph();
  std::vector<std::pair<ValueId, Tensor>> given;
  for (const ValueId input : graph.inputs()) {
    const ValueType& type = graph[input].type;
    given.emplace_back(input,
                       filled(type.element.value_or(ElementType::Float32), shapeOf(graph[input])));
  }
  const Plan plan = planForOutputs(engine);
  workers().run([&] {
    Execution execution(plan, given, quantized == nullptr ? nullptr : &quantized->applied);
    for (std::size_t i = 0; i < kMostSteps && !execution.finished(); ++i) {
      const NodeId node = execution.step();
      if (!node.valid()) continue;
      for (const ValueId output : graph[node].outputs) {
        if (!output.valid()) continue;
        const Tensor tensor = execution.value(output);
        if (tensor.defined() && !small(tensor.shape())) return;
      }
    }
  });
}

void upgradeAndWrite(const Graph& graph) {
  ModelDraft draft{graph, {}};
  upgradeOpset(draft.graph, kNewestKnownOpset);
  importModelBytes(modelBytes(draft));
}

}  // namespace

void exerciseModel(std::string_view bytes) {
  std::shared_ptr<const Graph> graph;
  mayRefuse([&] { graph = importModelBytes(bytes); });
  if (graph == nullptr) return;
  mayRefuse([&] { upgradeAndWrite(*graph); });
  if (!allSmall(*graph)) return;
  mayRefuse([&] {
    const Engine engine(graph, workers());
    mayRefuse([&] { run(engine, nullptr); });
    const QuantizedModel quantized = quantizeModel(engine, {}, Observations());
    run(engine, &quantized);
  });
}

}  // namespace quantscope::test
