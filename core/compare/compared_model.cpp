#include "compare/compared_model.h"

#include <algorithm>
#include <cmath>

#include "compare/input_cone.h"
#include "engine/operators/quantized/quantization_grid.h"
#include "graph/data_dependence.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

std::optional<ElementType> elementOf(const Graph& graph, ValueId value) {
  return graph[value].type.element;
}

bool isFloatValue(const Graph& graph, ValueId value) {
  const std::optional<ElementType> element = elementOf(graph, value);
  return element && isFloat(*element);
}

const Tensor* constantInput(const Engine& engine, const Node& node, std::size_t input) {
  if (input >= node.inputs.size() || !node.inputs[input].valid()) return nullptr;
  return engine.constant(node.inputs[input]);
}

}  // namespace

std::string_view floatOperator(const Node& node) {
  const CodeTraits& codes = operatorTraits(node).codes;
  return codes.floatOperator.empty() ? std::string_view(node.op) : codes.floatOperator;
}

bool isRearranged(const ComparedValue& value) {
  const OperatorTraits& traits = operatorTraits(value.op);
  return traits.channels == ChannelFlow::Permuted || traits.reshapes;
}

CodeGrids constantGrids(const Engine& engine, const Node& node, std::size_t scale,
                        std::size_t zeroPoint) {
  const Tensor* const scales = constantInput(engine, node, scale);
  if (scales == nullptr || !isFloat(scales->type())) return {};
  CodeGrids grids{toFloat32(*scales), {}, node.integer("axis", 1), node.integer("block_size", 0)};
  if (const Tensor* zeroPoints = constantInput(engine, node, zeroPoint)) {
    // A zero point of a type for floats says no more than that type.
    if (!isFloat(zeroPoints->type())) grids.zeroPoint = *zeroPoints;
  }
  return grids;
}

Tensor dequantized(const Tensor& codes, const CodeGrids& grids) {
  Tensor numbers = toFloat32(toLayout(codes, Layout::Plain));
  if (numbers.sharesElementsWith(codes)) return numbers;
  const QuantizationGrid grid(numbers.shape(), grids.scale, grids.zeroPoint, grids.axis,
                              grids.blockSize);
  const std::span<float> elements = numbers.mutableValues<float>();
  grid.forEachRun([&](std::size_t first, std::size_t count, float scale, std::int32_t zeroPoint) {
    for (float& element : elements.subspan(first, count)) {
      element = (element - static_cast<float>(zeroPoint)) * scale;
    }
  });
  return numbers;
}

ComparedModel::ComparedModel(const Engine& engine)
    : m_engine(engine),
      m_dependsOnData(dependsOnData(engine.graph())),
      m_roles(engine.graph().values().size(), Role::None),
      m_index(engine.graph().values().size(), kNoValue) {
  addInputs();
  for (const NodeId node : graph().main().nodes) addNode(node);
  connect();
}

const std::string& ComparedModel::name(std::size_t value) const {
  return graph()[m_values[value].members.front()].name;
}

const CodeGrids* ComparedModel::grids(ValueId value) const {
  const auto found = m_grids.find(value);
  return found == m_grids.end() ? nullptr : &found->second;
}

void ComparedModel::addInputs() {
  for (const ValueId input : graph().inputs()) {
    if (!elementOf(graph(), input)) continue;
    // Codes come as they are from outside; who turns them back knows their grid.
    for (const NodeId reader : graph()[input].consumers) {
      const Node& node = graph()[reader];
      if (operatorTraits(node).codes.use != CodeUse::Dequantizes) continue;
      if (CodeGrids grids = constantGrids(m_engine, node, 1, 2); grids.scale.defined()) {
        m_grids.emplace(input, std::move(grids));
      }
    }
    m_roles[input.at()] = Role::Compared;
    add(input, kNoValue, nullptr);
  }
}

void ComparedModel::addNode(NodeId id) {
  const Node& node = graph()[id];
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) addOutput(node, i);
  }
}

void ComparedModel::addOutput(const Node& node, std::size_t output) {
  const ValueId value = node.outputs[output];
  if (!m_dependsOnData[value.at()] || m_engine.constant(value) != nullptr) return;
  addGrid(node, output);
  m_roles[value.at()] = roleOf(node, value);
  if (m_roles[value.at()] == Role::Compared) add(value, sameAs(node, output), &node);
}

void ComparedModel::add(ValueId value, std::size_t index, const Node* node) {
  if (index == kNoValue) {
    index = m_values.size();
    m_values.emplace_back();
    if (node != nullptr) m_values.back().op = floatOperator(*node);
  }
  m_values[index].members.push_back(value);
  m_index[value.at()] = index;
}

// Sums of products of codes become numbers where a scale meets them, which may itself be computed.
ComparedModel::Role ComparedModel::roleOf(const Node& node, ValueId output) const {
  const CodeTraits& codes = operatorTraits(node).codes;
  const std::optional<ElementType> element = elementOf(graph(), output);
  if (!element) return Role::None;
  if (codes.use == CodeUse::QuantizesDynamically) return Role::Parameter;
  const bool hasGrid = m_grids.contains(output);
  if (codes.use == CodeUse::Quantizes) return hasGrid ? Role::Compared : Role::Parameter;
  if (codes.use == CodeUse::Computes && !isFloat(*element)) {
    return hasGrid ? Role::Compared : Role::Sum;
  }
  bool allSums = true;
  bool allParameters = true;
  bool any = false;
  for (const ValueId input : node.inputs) {
    if (!input.valid() || !m_dependsOnData[input.at()]) continue;
    any = true;
    allSums = allSums && m_roles[input.at()] == Role::Sum;
    allParameters = allParameters && m_roles[input.at()] == Role::Parameter;
  }
  if (!any) return Role::Compared;
  if (allParameters && codes.use != CodeUse::Dequantizes && codes.use != CodeUse::Computes) {
    return Role::Parameter;
  }
  const bool stays = operatorTraits(node).keepsValues || !isFloat(*element);
  return allSums && stays ? Role::Sum : Role::Compared;
}

std::size_t ComparedModel::sameAs(const Node& node, std::size_t output) const {
  if (output != 0 || node.inputs.empty() || !node.inputs[0].valid()) return kNoValue;
  const ValueId input = node.inputs[0];
  const OperatorTraits& traits = operatorTraits(node);
  if (traits.codes.use == CodeUse::Quantizes) return find(input);
  if (traits.codes.use == CodeUse::Dequantizes) {
    if (grids(input) != nullptr) return find(input);
    // Codes on a grid that the numbers themselves have given.
    const NodeId maker = graph()[input].producer;
    if (!maker.valid() || graph()[maker].inputs.empty()) return kNoValue;
    const CodeUse made = operatorTraits(graph()[maker]).codes.use;
    const bool rounds = made == CodeUse::Quantizes || made == CodeUse::QuantizesDynamically;
    return rounds ? find(graph()[maker].inputs[0]) : kNoValue;
  }
  // What clips codes leaves them on their grid, as what would round fewer bits does.
  const bool clipsCodes = traits.channels == ChannelFlow::Carried && traits.dataInputs == 1 &&
                          !isFloatValue(graph(), input) && m_grids.contains(node.outputs[0]);
  if (clipsCodes && !traits.movesData) return find(input);
  if (!traits.keepsValues) return kNoValue;
  const bool sameKind = elementOf(graph(), input) == elementOf(graph(), node.outputs[0]) ||
                        (isFloatValue(graph(), input) && isFloatValue(graph(), node.outputs[0]));
  return sameKind ? find(input) : kNoValue;
}

void ComparedModel::addGrid(const Node& node, std::size_t output) {
  if (output != 0 && !isDataMover(graph(), node)) return;
  const ValueId value = node.outputs[output];
  if (isFloatValue(graph(), value)) return;
  const CodeTraits& codes = operatorTraits(node).codes;
  if (codes.outputScale) {
    CodeGrids grids = constantGrids(m_engine, node, *codes.outputScale, *codes.outputScale + 1);
    if (codes.use == CodeUse::Computes) grids.axis = 1;
    if (grids.scale.defined()) m_grids.emplace(value, std::move(grids));
    return;
  }
  // What only moves or clips codes leaves them on their grid; one per axis may lie elsewhere then.
  if (codes.use != CodeUse::None || node.inputs.empty() || !node.inputs[0].valid()) return;
  const CodeGrids* const from = grids(node.inputs[0]);
  const bool sameType =
      from != nullptr && elementOf(graph(), value) == elementOf(graph(), node.inputs[0]);
  if (!sameType) return;
  const OperatorTraits& traits = operatorTraits(node);
  const bool moves = traits.movesData != nullptr && traits.movesData(graph(), node);
  const bool clips = traits.channels == ChannelFlow::Carried && traits.dataInputs == 1 && !moves;
  if (clips || (moves && from->scale.elementCount() == 1)) m_grids.emplace(value, *from);
}

void ComparedModel::connect() {
  const InputCones cones(graph());
  for (std::size_t i = 0; i < m_values.size(); ++i) {
    ComparedValue& value = m_values[i];
    for (const ValueId member : value.members) {
      const auto outside = [&](NodeId reader) {
        return std::ranges::any_of(graph()[reader].outputs, [&](ValueId output) {
          return output.valid() && find(output) != i;
        });
      };
      const bool leaves = std::ranges::find(graph().outputs(), member) != graph().outputs().end();
      if (leaves || std::ranges::any_of(graph()[member].consumers, outside)) {
        value.seen.push_back(member);
      }
    }
    const InputCone cone = cones.of(
        value.members.front(), [&](ValueId input) { return find(input) != kNoValue; },
        [&](ValueId input) { return m_dependsOnData[input.at()]; });
    for (const NodeId node : cone.nodes) {
      if (operatorTraits(graph()[node]).codes.use == CodeUse::Computes) {
        value.op = floatOperator(graph()[node]);
      }
    }
    for (const ValueId input : cone.inputs) {
      const std::size_t from = find(input);
      if (std::ranges::find(value.reads, from) != value.reads.end()) continue;
      value.reads.push_back(from);
      m_values[from].readers.push_back(i);
    }
  }
}

Tensor ComparedModel::numbers(ValueId value, const Tensor& tensor) const {
  if (const CodeGrids* codes = grids(value); codes != nullptr && !isFloat(tensor.type())) {
    return dequantized(tensor, *codes);
  }
  return toFloat32(toLayout(tensor, Layout::Plain));
}

Tensor ComparedModel::tensorOf(ValueId value, const Tensor& numbers) const {
  const ElementType type = elementOf(graph(), value).value_or(ElementType::Float32);
  if (type == ElementType::Float32) return numbers;
  if (isFloat(type) && type != ElementType::Float64) return fromFloat32(numbers, type);
  Tensor scaled = numbers;
  if (const CodeGrids* codes = grids(value)) {
    scaled = Tensor::of(numbers.shape(), numbers.values<float>());
    const QuantizationGrid grid(numbers.shape(), codes->scale, codes->zeroPoint, codes->axis,
                                codes->blockSize);
    const std::span<float> elements = scaled.mutableValues<float>();
    grid.forEachRun([&](std::size_t first, std::size_t count, float scale, std::int32_t zeroPoint) {
      for (float& element : elements.subspan(first, count)) {
        element = std::nearbyint(element / scale) + static_cast<float>(zeroPoint);
      }
    });
  }
  Tensor result(type, numbers.shape());
  visitElementType(type, [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      const std::span<const float> from = scaled.values<float>();
      const std::span<T> to = result.mutableValues<T>();
      // The next float below the largest code of a wide type still fits.
      const auto low = static_cast<float>(std::numeric_limits<T>::lowest());
      const auto high = std::nextafter(static_cast<float>(std::numeric_limits<T>::max()), 0.0F);
      const auto top = sizeof(T) <= 2 ? static_cast<float>(std::numeric_limits<T>::max()) : high;
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = std::isnan(from[i]) ? T() : static_cast<T>(std::clamp(from[i], low, top));
      }
    }
  });
  return result;
}

}  // namespace quantscope
