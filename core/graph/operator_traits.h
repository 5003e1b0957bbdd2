#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// The axis that the channels of an operator's output lie on.
enum class ChannelFlow : std::uint8_t {
  Unknown,     ///< none that is known
  SecondAxis,  ///< axis 1: convolutions, pooling, batch normalization
  LastAxis,    ///< the last one: matrix products, layer normalization
  Carried,     ///< as in the first input that has channels
  Permuted,    ///< where `perm` puts that of the input
};

/// How an operator uses the constants among its inputs that are weights.
enum class WeightUse : std::uint8_t {
  None,
  Product,  ///< one operand of a convolution or of a matrix product
  Gates,    ///< input and recurrent weights of a recurrence, both
  Rows,     ///< a matrix whose rows are looked up
};

/// The channel axis of a weight that holds the channels of one group only (attribute `group`).
enum class GroupedAxis : std::uint8_t { None, Input, Output };

/// How an operator combines several inputs that carry data.
enum class Combination : std::uint8_t { None, Sum, Concatenation };

enum class ControlFlow : std::uint8_t { None, Branch, Loop, Scan };

/// How an operator uses codes: integers that stand for numbers by a scale and a zero point.
enum class CodeUse : std::uint8_t {
  None,
  Quantizes,             ///< makes codes of numbers, on a grid that is given
  QuantizesDynamically,  ///< on a grid that it takes from the numbers
  Dequantizes,           ///< makes numbers of codes
  Computes,              ///< does what an operator on floats does
};

/// Where an operator on codes has its grids. A zero point is the input behind its scale, unless
/// said otherwise.
struct CodeTraits {
  CodeUse use = CodeUse::None;
  /// The operator on floats that it stands for; empty = that of its own name.
  std::string_view floatOperator = {};
  std::optional<std::size_t> outputScale = {};  ///< the input that the output's scale is
  std::optional<std::size_t> weightSlot = {};   ///< the input that is the weight where constant
  std::optional<std::size_t> weightScale = {};
  std::optional<std::size_t> weightZeroPoint = {};
};

/// The facts about an operator, the same for all of its versions. Each operator has one entry in
/// graph/traits/FAMILY.cpp. An operator without an entry has the default values below.
struct OperatorTraits {
  static constexpr std::size_t kAllInputs = std::numeric_limits<std::size_t>::max();

  /// A shorter name for tables: "BN".
  std::string_view shortName = {};
  ChannelFlow channels = ChannelFlow::Unknown;
  /// The number of leading inputs that carry activations unless they are weights.
  std::size_t dataInputs = 1;
  Combination combination = Combination::None;

  // Weights.
  WeightUse weightUse = WeightUse::None;
  /// The input indices that weights may have. For a product, the first constant one is the weight.
  std::vector<std::size_t> weightSlots = {};
  /// The input index of the bias; none if there is no bias or a following node adds it.
  std::optional<std::size_t> biasSlot = {};
  /// The axes of the weight in place `slot` for output and for input channels; nullptr where no
  /// axis is known. Ask outputChannelAxis() and inputChannelAxis().
  int (*outputChannelAxis)(const Node& node, std::size_t slot, const Shape& weight) = nullptr;
  int (*inputChannelAxis)(const Node& node, std::size_t slot, std::size_t rank) = nullptr;
  /// The axis of the data, which have `rank` axes, that is summed over with the weight in place
  /// `slot`; a rank that is not known is given as 0. nullptr where no axis is known.
  int (*summedAxis)(const Node& node, std::size_t slot, std::size_t rank) = nullptr;
  GroupedAxis groupedAxis = GroupedAxis::None;
  /// Operands may be vectors or stacks of matrices, which broadcast.
  bool takesStacks = false;
  /// True where attributes multiply the product or the bias by something else than 1.
  bool (*scalesProduct)(const Node& node) = nullptr;
  /// The number of multiply-accumulates, from the shapes of data, weight and output. nullptr = not
  /// counted.
  double (*multiplyAccumulates)(const Node& node, const Shape& data, const Shape& weight,
                                const Shape& output) = nullptr;

  // Behind a layer.
  /// With constant statistics (inputs 1 to 4: γ, β, µ, σ²) a factor and a summand per channel,
  /// which fold into the weights before it.
  bool foldsIntoWeights = false;
  /// Adds its two inputs: one that is a constant vector is the bias of a product before it.
  bool addsBias = false;
  /// Inputs with an element per output channel that are factors and summands of the result: with
  /// all of them divided by s_c, channel c of the output is divided by s_c.
  std::vector<std::size_t> outputFactors = {};
  /// The product of its two inputs.
  bool multiplies = false;
  /// The inputs in each of which alone the result is linear: with all elements of that input
  /// multiplied by a number, and the other inputs as they are, the result is multiplied by it.
  std::vector<std::size_t> linearInputs = {};

  // Values.
  /// True where the output holds elements of the input and no others. nullptr = never.
  bool (*movesData)(const Graph& graph, const Node& node) = nullptr;
  /// Takes half types as they are, and would move wider elements alike.
  bool movesHalfTypes = false;
  /// f(a·x) = a·f(x) for every a > 0 that all data inputs are multiplied by. nullptr = never.
  bool (*positivelyHomogeneous)(const Graph& graph, const Node& node) = nullptr;
  /// Computes along axes of its input, the attribute or input 1 `axes` or `axis`, all of them where
  /// there is none, and what has other indices on the other axes separately.
  bool reduces = false;
  /// f(x + a) = f(x) + a for every number a that is added to all elements of a channel.
  bool keepsShifts = false;
  /// max(x, 0) for every element x of its input.
  bool rectifies = false;
  /// Cuts every element off at bounds, its attributes `min` and `max` or inputs 1 and 2.
  bool clips = false;
  /// The output has the elements of input 0 in their order, under another shape.
  bool reshapes = false;
  /// The input whose relative error counts, because the operator is steep where that input is near
  /// 0: the argument of a logarithm, a root or a power below 1, a divisor. nullptr, or nullopt for
  /// a node = none.
  std::optional<std::size_t> (*steepInput)(const Graph& graph, const Node& node) = nullptr;
  /// Depends on the shapes of its inputs alone.
  bool readsShapeOnly = false;
  /// The output is a distribution over classes.
  bool givesProbabilities = false;
  ControlFlow controlFlow = ControlFlow::None;
  /// Output 0 has the elements and the shape of input 0, maybe in another type.
  bool keepsValues = false;
  CodeTraits codes = {};
};

struct NamedTraits {
  std::string_view op;
  OperatorTraits traits;
};

/// The traits of the operator of that name. The domain is ignored: a com.microsoft operator with
/// the name of an ONNX operator computes the same.
const OperatorTraits& operatorTraits(std::string_view op);
inline const OperatorTraits& operatorTraits(const Node& node) {
  return operatorTraits(node.op);
}

/// All entries, family by family; each name stands once.
std::span<const NamedTraits> operatorTable();

/// The axis of a weight tensor that its output channels lie on: Conv 0, ConvTranspose 1 but 0 where
/// it is depthwise (an output channel per input channel), Gemm 0 with transB else 1, MatMul the
/// last of a right-hand and the last but one of a left-hand weight, Einsum the first that no other
/// input but the result has, LSTM, GRU and RNN 1 (all gates, for all directions alike), embeddings
/// 0 (a row each), and 0 of others. `slot` is the weight's place.
int outputChannelAxis(const Node& node, std::size_t slot, const Shape& weight);

/// How many output channels there are per index of that axis: the groups of a grouped ConvTranspose
/// that is not depthwise, else 1.
std::size_t outputChannelGroups(const Node& node, const Shape& weight);

/// True where the node only moves elements about, so that its output stays on its input's grid: a
/// Pad only with zeros, a Resize only to the nearest element. Operators of ONNX only.
bool isDataMover(const Graph& graph, const Node& node);

/// True where f(a·x) = a·f(x) for every a > 0: traits and data movers.
bool isPositivelyHomogeneous(const Graph& graph, const Node& node);

// One function per family, in graph/traits/.
std::vector<NamedTraits> convolutionTraits();
std::vector<NamedTraits> matrixProductTraits();
std::vector<NamedTraits> recurrenceTraits();
std::vector<NamedTraits> poolingTraits();
std::vector<NamedTraits> normalizationTraits();
std::vector<NamedTraits> elementwiseTraits();
std::vector<NamedTraits> reductionTraits();
std::vector<NamedTraits> dataMoverTraits();
std::vector<NamedTraits> resamplingTraits();
std::vector<NamedTraits> quantizedTraits();
std::vector<NamedTraits> controlFlowTraits();

}  // namespace quantscope
