#include "compare/layer_pairs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "graph/operator_traits.h"
#include "onnx/names.h"

namespace quantscope {
namespace {

// Codes whose scale is computed are no members: what turns them back is.
void findDynamicOutput(const ComparedModel& model, ValueId member, LayerPair& pair) {
  const NodeId producer = model.graph()[member].producer;
  if (!producer.valid() || model.graph()[producer].inputs.empty()) return;
  const Node& node = model.graph()[producer];
  if (operatorTraits(node).codes.use != CodeUse::Dequantizes) return;
  const std::optional<ElementType> codes = model.graph()[node.inputs[0]].type.element;
  if (!codes || isFloat(*codes) || model.grids(node.inputs[0]) != nullptr) return;
  pair.dynamicOutput = true;
  pair.outputBits = 8 * static_cast<int>(byteSize(*codes));
}

void findOutputGrids(const ComparedModel& model, std::size_t value, LayerPair& pair) {
  for (const ValueId member : model.values()[value].members) {
    const CodeGrids* const grids = model.grids(member);
    const std::optional<ElementType> type = model.graph()[member].type.element;
    findDynamicOutput(model, member, pair);
    if (grids == nullptr || !type || isFloat(*type)) continue;
    pair.outputGrids = grids;
    pair.outputBits = 8 * static_cast<int>(byteSize(*type));
    pair.outputSigned = isSigned(*type);
  }
}

bool isRounded(const ComparedModel& model, std::size_t value) {
  LayerPair grids;
  findOutputGrids(model, value, grids);
  return grids.outputBits > 0;
}

// True where a reader of a value is that operator, or one of what only rearranges the value.
bool goesInto(const ComparedModel& model, std::size_t value, std::string_view op) {
  return std::ranges::any_of(model.values()[value].readers, [&](std::size_t reader) {
    const ComparedValue& read = model.values()[reader];
    return read.op == op || (isRearranged(read) && goesInto(model, reader, op));
  });
}

// Behind a value: what only it goes into, one after the other, as long as nothing matches that and
// the other model does not do the same behind the value's match: then that belongs to what follows.
// So does what only moves elements at the end, unless it is rounded there.
std::size_t lastInPlace(const ComparedModel& model, const std::vector<ValuePrint>& prints,
                        const std::vector<std::size_t>& partners, std::size_t value,
                        const ComparedModel& other, std::size_t match) {
  const std::span<const ValueId> outputs = model.graph().outputs();
  std::size_t last = value;
  while (model.values()[value].readers.size() == 1) {
    const std::size_t next = model.values()[value].readers.front();
    const bool leaves = std::ranges::any_of(model.values()[value].members, [&](ValueId member) {
      return std::ranges::find(outputs, member) != outputs.end();
    });
    if (leaves || partners[next] != kNoValue || model.values()[next].reads.size() != 1) break;
    if (prints[next].elementCount != prints[value].elementCount) break;
    if (goesInto(other, match, model.values()[next].op)) break;
    value = next;
    if (!isRearranged(model.values()[value]) || isRounded(model, value)) last = value;
  }
  return last;
}

/// Which values of the two models stand for each other, unmatched activations behind them included.
struct Partners {
  std::vector<std::size_t> ofFirst;   ///< a matched value of the second model, or kNoValue
  std::vector<std::size_t> ofSecond;  ///< likewise
  std::vector<std::pair<std::size_t, std::size_t>> ends;  ///< by match
  std::map<std::size_t, std::size_t> endOfFirst;          ///< by matched value of the first model
};

// The values behind `from` up to `end` stand for what `from` matches.
void extend(const ComparedModel& model, std::size_t from, std::size_t end,
            std::vector<std::size_t>& partners) {
  for (std::size_t value = from; value != end;) {
    value = model.values()[value].readers.front();
    partners[value] = partners[from];
  }
}

Partners findPartners(const ComparedModel& first, const ComparedModel& second,
                      const std::vector<ValuePrint>& firstPrints,
                      const std::vector<ValuePrint>& secondPrints,
                      const std::vector<ValueMatch>& matches) {
  Partners partners{std::vector<std::size_t>(first.values().size(), kNoValue),
                    std::vector<std::size_t>(second.values().size(), kNoValue),
                    {},
                    {}};
  for (const ValueMatch& match : matches) {
    partners.ofFirst[match.first] = match.second;
    partners.ofSecond[match.second] = match.first;
  }
  for (const ValueMatch& match : matches) {
    const std::size_t a =
        lastInPlace(first, firstPrints, partners.ofFirst, match.first, second, match.second);
    const std::size_t b =
        lastInPlace(second, secondPrints, partners.ofSecond, match.second, first, match.first);
    partners.ends.emplace_back(a, b);
    partners.endOfFirst[match.first] = a;
  }
  for (std::size_t i = 0; i < matches.size(); ++i) {
    extend(first, matches[i].first, partners.ends[i].first, partners.ofFirst);
    extend(second, matches[i].second, partners.ends[i].second, partners.ofSecond);
  }
  return partners;
}

// What readers read of a value: behind its rounding, where it is rounded.
ValueId readAs(const ComparedModel& model, std::size_t value) {
  const ComparedValue& compared = model.values()[value];
  return compared.seen.empty() ? compared.members.front() : compared.seen.back();
}

InputCone coneOf(const ComparedModel& model, const InputCones& cones,
                 const std::vector<std::size_t>& partners, ValueId value, std::size_t ownMatch) {
  const auto isKnown = [&](ValueId input) {
    const std::size_t index = model.find(input);
    return index != kNoValue && partners[index] != kNoValue && partners[index] != ownMatch;
  };
  return cones.of(value, isKnown,
                  [&](ValueId input) { return model.engine().constant(input) == nullptr; });
}

bool takeSources(const ComparedModel& first, const ComparedModel& second, const Partners& partners,
                 const MatchedOrders& orders, LayerPair& pair) {
  for (const ValueId input : pair.secondCone.inputs) {
    const std::size_t index = second.find(input);
    if (index == kNoValue || partners.ofSecond[index] == kNoValue) return false;
    const std::size_t source = partners.endOfFirst.at(partners.ofSecond[index]);
    pair.sources.push_back(readAs(first, source));
    pair.sourceAxes.push_back(orders.between(source, index));
  }
  return std::ranges::all_of(pair.firstCone.inputs,
                             [&](ValueId input) { return first.find(input) != kNoValue; });
}

std::string nodeName(const Node& node, const Graph& graph) {
  if (node.outputs.empty() || !node.outputs[0].valid()) return node.name;
  const std::string& output = graph[node.outputs[0]].name;
  return node.name == madeUpNodeName(node.op, output) ? output : node.name;
}

// bfloat16 has the shorter significand.
ElementType narrower(ElementType a, std::optional<ElementType> b) {
  if (!b || (*b != ElementType::Float16 && *b != ElementType::BFloat16)) return a;
  return a == ElementType::BFloat16 ? a : *b;
}

ElementType narrowestOf(const ComparedModel& model, const InputCone& cone, ElementType narrowest) {
  for (const NodeId node : cone.nodes) {
    for (const auto* values : {&model.graph()[node].inputs, &model.graph()[node].outputs}) {
      for (const ValueId value : *values) {
        if (value.valid()) narrowest = narrower(narrowest, model.graph()[value].type.element);
      }
    }
  }
  return narrowest;
}

/// The part that a node has in the layer of a product before it.
enum class LayerPart : std::uint8_t { None, Folded, Activation };

// Batch normalizations and biases fold; an activation has no other operand than its bounds or
// slopes.
LayerPart partOf(const ComparedModel& model, std::size_t value) {
  const NodeId producer = model.graph()[model.values()[value].members.front()].producer;
  if (!producer.valid()) return LayerPart::None;
  const Node& node = model.graph()[producer];
  const OperatorTraits& traits = operatorTraits(node);
  if (traits.foldsIntoWeights || traits.addsBias) return LayerPart::Folded;
  const bool inPlace =
      traits.channels == ChannelFlow::Carried && traits.movesData == nullptr && !traits.reduces;
  const bool sloped = traits.positivelyHomogeneous != nullptr && !traits.multiplies;
  const bool alone = traits.dataInputs == 1 && (node.inputs.size() == 1 || traits.clips || sloped);
  return inPlace && alone ? LayerPart::Activation : LayerPart::None;
}

constexpr int kMaxFolded = 4;  // behind a product

NodeId productAmong(const ComparedModel& model, const std::vector<NodeId>& nodes) {
  for (const NodeId node : nodes) {
    if (hasWeight(model.engine(), node)) return node;
  }
  return {};
}

// The product whose layer a value ends, behind what folds into it and one activation; in one of
// the models.
NodeId productBefore(const ComparedModel& model, const ComparedModel& second,
                     const std::map<std::size_t, std::size_t>& pairOf,
                     const std::vector<LayerPair>& pairs, std::size_t value, bool isFirst) {
  bool activated = false;
  for (int step = 0; step < kMaxFolded; ++step) {
    const ComparedValue& compared = model.values()[value];
    const LayerPart part = partOf(model, value);
    const bool another = part == LayerPart::Activation && std::exchange(activated, true);
    if (compared.reads.size() != 1 || part == LayerPart::None || another) return {};
    value = compared.reads.front();
    if (model.values()[value].readers.size() != 1) return {};
    const auto pair = pairOf.find(value);
    if (pair == pairOf.end()) continue;
    if (isRounded(second, pairs[pair->second].match.second)) return {};
    const LayerPair& before = pairs[pair->second];
    const NodeId product =
        productAmong(model, isFirst ? before.firstCone.nodes : before.secondCone.nodes);
    if (product.valid()) return product;
  }
  return {};
}

void nameLayers(const ComparedModel& first, const ComparedModel& second,
                std::vector<LayerPair>& pairs) {
  std::map<std::size_t, std::size_t> ofFirst;
  std::map<std::size_t, std::size_t> ofSecond;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ofFirst[pairs[i].match.first] = i;
    ofSecond[pairs[i].match.second] = i;
  }
  const auto nameOf = [&](const ComparedModel& model, const std::vector<NodeId>& nodes,
                          const std::map<std::size_t, std::size_t>& pairOf, std::size_t value,
                          bool isFirst) {
    const Graph& graph = model.graph();
    NodeId node = productAmong(model, nodes);
    if (!node.valid()) node = productBefore(model, second, pairOf, pairs, value, isFirst);
    // Codes and what turns them back belong to the node before.
    const ValueId made = model.values()[value].members.front();
    return node.valid() ? nodeName(graph[node], graph) : makerName(graph, made);
  };
  for (LayerPair& pair : pairs) {
    pair.firstName = nameOf(first, pair.firstCone.nodes, ofFirst, pair.match.first, true);
    pair.secondName = nameOf(second, pair.secondCone.nodes, ofSecond, pair.match.second, false);
  }
}

}  // namespace

std::string makerName(const Graph& graph, ValueId value) {
  const NodeId producer = graph[value].producer;
  return producer.valid() ? nodeName(graph[producer], graph) : graph[value].name;
}

std::vector<LayerPair> pairLayers(const ComparedModel& first, const ComparedModel& second,
                                  const std::vector<ValuePrint>& firstPrints,
                                  const std::vector<ValuePrint>& secondPrints,
                                  const std::vector<ValueMatch>& matches,
                                  const MatchedOrders& orders) {
  const Partners partners = findPartners(first, second, firstPrints, secondPrints, matches);
  const InputCones firstCones(first.graph());
  const InputCones secondCones(second.graph());
  std::vector<LayerPair> pairs;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto& [firstEnd, secondEnd] = partners.ends[i];
    LayerPair pair;
    pair.match = matches[i];
    pair.first = readAs(first, firstEnd);
    pair.second = readAs(second, secondEnd);
    pair.axes = orders.between(firstEnd, secondEnd);
    findOutputGrids(second, secondEnd, pair);
    pair.firstCone = coneOf(first, firstCones, partners.ofFirst, pair.first, matches[i].second);
    pair.secondCone = coneOf(second, secondCones, partners.ofSecond, pair.second, matches[i].first);
    pair.runnable = takeSources(first, second, partners, orders, pair) &&
                    isRunnable(second.engine(), pair.secondCone) &&
                    (pair.firstCone.nodes.empty() || isRunnable(first.engine(), pair.firstCone));
    pair.narrowest = narrowestOf(second, pair.secondCone,
                                 narrowestOf(first, pair.firstCone, ElementType::Float32));
    pair.weights = pairWeights(first, second, pair.firstCone.nodes, pair.secondCone.nodes);
    pairs.push_back(std::move(pair));
  }
  nameLayers(first, second, pairs);
  return pairs;
}

}  // namespace quantscope
