#include "onnx/inference/walker.h"

#include <algorithm>

#include "base/error.h"
#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// A shape that a loop changes settles after this many passes, or is given up. Loops nested deeper
// than that start without shapes: passes multiply.
constexpr int kMaxPasses = 3;

ValueType scalarType(ElementType element) {
  return {.element = element, .shape = Dimensions()};
}

ValueType withoutShape(const ValueType& type) {
  return {.element = type.element, .shape = {}};
}

bool hasBody(const Node& node, std::string_view name) {
  return std::ranges::find(node.bodies, name, [](const auto& body) { return body.first; }) !=
         node.bodies.end();
}

// The element of an axis, and what puts the axis back.
ValueType withoutAxis(ValueType type, std::int64_t axis) {
  if (type.shape) {
    const std::size_t position = normalizeAxis(axis, type.shape->size());
    type.shape->erase(type.shape->begin() + static_cast<std::ptrdiff_t>(position));
  }
  return type;
}

ValueType withAxis(ValueType type, std::int64_t axis, const Dimension& extent) {
  if (type.shape) {
    const std::size_t position = normalizeAxis(axis, type.shape->size() + 1);
    type.shape->insert(type.shape->begin() + static_cast<std::ptrdiff_t>(position), extent);
  }
  return type;
}

std::int64_t axisAt(const std::vector<std::int64_t>& axes, std::size_t index) {
  return index < axes.size() ? axes[index] : 0;
}

}  // namespace

void Walker::walkBlock(BlockId block, int depth) {
  for (const NodeId node : graph()[block].nodes) walkNode(node, depth);
}

void Walker::walkNode(NodeId id, int depth) {
  const Node& node = graph()[id];
  for (const ValueId output : node.outputs) {
    if (output.valid()) m_knowledge.reset(output);
  }
  // A rule throws where the node is not what its operator asks for; the run will say so.
  try {
    if (!node.bodies.empty()) return walkBodies(node, depth + 1);
    Context context(m_knowledge, id);
    if (const Rule rule = findRule(node.op, node.domain)) rule(context);
  } catch (const Error&) {
  }
}

void Walker::walkBodies(const Node& node, int depth) {
  if (node.op == "If" && hasBody(node, "then") && hasBody(node, "else")) {
    walkIf(node, depth);
  } else if (node.op == "Loop" && hasBody(node, "body")) {
    walkLoop(node, depth);
  } else if (node.op == "Scan" && hasBody(node, "body")) {
    node.version < 9 ? walkBatchedScan(node, depth) : walkScan(node, depth);
  } else {
    for (const auto& [name, body] : node.bodies) walkBlock(body, depth);
  }
}

void Walker::walkIf(const Node& node, int depth) {
  const BlockId thenBody = node.body("then");
  const BlockId elseBody = node.body("else");
  walkBlock(thenBody, depth);
  walkBlock(elseBody, depth);
  const Elements* condition = node.inputs.empty() || !node.inputs[0].valid()
                                  ? nullptr
                                  : m_knowledge.elements(node.inputs[0]);
  const bool isDecided =
      condition != nullptr && condition->size() == 1 && condition->front().number;
  const std::vector<ValueId>& thenOutputs = graph()[thenBody].outputs;
  const std::vector<ValueId>& elseOutputs = graph()[elseBody].outputs;
  const std::size_t count = std::min({node.outputs.size(), thenOutputs.size(), elseOutputs.size()});
  for (std::size_t i = 0; i < count; ++i) {
    if (isDecided) {
      setType(node.outputs[i],
              typeOf(*condition->front().number != 0 ? thenOutputs[i] : elseOutputs[i]));
    } else {
      setType(node.outputs[i], commonType(thenOutputs[i], elseOutputs[i]));
    }
  }
}

// Inputs: trip count, condition, carried values. The body takes iteration, condition, carried
// values, and gives condition, carried values, and outputs stacked over the iterations.
void Walker::walkLoop(const Node& node, int depth) {
  const BlockId body = node.body("body");
  const std::vector<ValueId>& inputs = graph()[body].inputs;
  const std::vector<ValueId>& outputs = graph()[body].outputs;
  const std::size_t carriedCount = node.inputs.size() < 2 ? 0 : node.inputs.size() - 2;
  if (inputs.size() != carriedCount + 2 || outputs.size() < carriedCount + 1) {
    return walkBlock(body, depth);
  }
  setType(inputs[0], scalarType(ElementType::Int64));
  setType(inputs[1], scalarType(ElementType::Bool));
  std::vector<ValueType> carried;
  for (std::size_t i = 0; i < carriedCount; ++i) {
    const ValueType initial = typeOf(node.inputs[2 + i]);
    carried.push_back(depth <= kMaxPasses ? initial : withoutShape(initial));
  }
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    for (std::size_t i = 0; i < carriedCount; ++i) setType(inputs[2 + i], carried[i]);
    walkBlock(body, depth);
    bool isSettled = true;
    for (std::size_t i = 0; i < carriedCount; ++i) {
      const std::optional<Dimensions> shape =
          common(carried[i].shape, typeOf(outputs[1 + i]).shape);
      if (shape == carried[i].shape) continue;
      isSettled = false;
      carried[i].shape = pass + 2 < kMaxPasses ? shape : std::nullopt;
    }
    if (isSettled) break;
  }
  for (std::size_t i = 0; i < node.outputs.size() && 1 + i < outputs.size(); ++i) {
    setType(node.outputs[i],
            i < carriedCount ? carried[i] : withAxis(typeOf(outputs[1 + i]), 0, unknown()));
  }
}

// Inputs and outputs of node and body alike: states, then inputs or outputs scanned along an axis.
void Walker::walkScan(const Node& node, int depth) {
  const BlockId body = node.body("body");
  const std::vector<ValueId>& inputs = graph()[body].inputs;
  const std::vector<ValueId>& outputs = graph()[body].outputs;
  const std::int64_t scanned = node.integer("num_scan_inputs", 0);
  if (inputs.size() != node.inputs.size() || scanned < 0 ||
      static_cast<std::size_t>(scanned) > inputs.size()) {
    return walkBlock(body, depth);
  }
  const std::size_t stateCount = inputs.size() - static_cast<std::size_t>(scanned);
  const std::vector<std::int64_t> inputAxes = node.integers("scan_input_axes");
  const std::vector<std::int64_t> outputAxes = node.integers("scan_output_axes");
  Dimension length;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueType type = typeOf(node.inputs[i]);
    if (i < stateCount) {
      setType(inputs[i], type);
      continue;
    }
    const std::int64_t axis = axisAt(inputAxes, i - stateCount);
    if (type.shape) length = (*type.shape)[normalizeAxis(axis, type.shape->size())];
    setType(inputs[i], withoutAxis(type, axis));
  }
  walkBlock(body, depth);
  for (std::size_t i = 0; i < std::min(node.outputs.size(), outputs.size()); ++i) {
    const ValueType type = typeOf(outputs[i]);
    setType(node.outputs[i],
            i < stateCount ? type : withAxis(type, axisAt(outputAxes, i - stateCount), length));
  }
}

// Version 8: the lengths of the sequences first, then the same with a batch in front of everything,
// scanned along the axis behind it.
void Walker::walkBatchedScan(const Node& node, int depth) {
  const BlockId body = node.body("body");
  const std::vector<ValueId>& inputs = graph()[body].inputs;
  const std::vector<ValueId>& outputs = graph()[body].outputs;
  const std::int64_t scanned = node.integer("num_scan_inputs", 0);
  if (node.inputs.size() != inputs.size() + 1 || scanned < 0 ||
      static_cast<std::size_t>(scanned) > inputs.size()) {
    return walkBlock(body, depth);
  }
  const std::size_t stateCount = inputs.size() - static_cast<std::size_t>(scanned);
  Dimension batch;
  Dimension length;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ValueType type = typeOf(node.inputs[1 + i]);
    if (type.shape && !type.shape->empty()) batch = type.shape->front();
    type = withoutAxis(type, 0);
    if (i >= stateCount) {
      if (type.shape && !type.shape->empty()) length = type.shape->front();
      type = withoutAxis(type, 0);
    }
    setType(inputs[i], type);
  }
  walkBlock(body, depth);
  for (std::size_t i = 0; i < std::min(node.outputs.size(), outputs.size()); ++i) {
    ValueType type = typeOf(outputs[i]);
    if (i >= stateCount) type = withAxis(type, 0, length);
    setType(node.outputs[i], withAxis(type, 0, batch));
  }
}

ValueType Walker::typeOf(ValueId id) const {
  return id.valid() ? m_knowledge.type(id) : ValueType{};
}

void Walker::setType(ValueId id, ValueType type) {
  if (id.valid()) m_knowledge.setType(id, std::move(type));
}

ValueType Walker::commonType(ValueId a, ValueId b) const {
  const ValueType left = typeOf(a);
  const ValueType right = typeOf(b);
  return {.element = left.element ? left.element : right.element,
          .shape = common(left.shape, right.shape)};
}

}  // namespace quantscope::inference
