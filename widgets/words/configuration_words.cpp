#include "widgets/words/configuration_words.h"

#include <algorithm>

#include "precision/config/precision_words.h"
#include "precision/config/replace_types.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

using Kind = ObserverSpec::Kind;

NodePrecision perTensor() {
  NodePrecision precision = defaultPrecision();
  precision.weight.granularity.kind = Granularity::Kind::PerTensor;
  return precision;
}

NodePrecision wideActivations() {
  NodePrecision precision = defaultPrecision();
  precision.activation.type = QuantType::Int16;
  precision.activation.symmetric = true;
  precision.output = precision.activation;
  return precision;
}

NodePrecision narrowWeights() {
  NodePrecision precision = defaultPrecision();
  precision.weight.type = QuantType::Int4;
  return precision;
}

NodePrecision floats8() {
  NodePrecision precision = defaultPrecision();
  for (TensorPrecision* tensor : {&precision.weight, &precision.activation, &precision.output}) {
    setType(*tensor, QuantType::Float8E4M3);
  }
  return precision;
}

NodePrecision unquantized() {
  NodePrecision precision = defaultPrecision();
  precision.float32 = true;
  return precision;
}

}  // namespace

const std::vector<ConfigurationPreset>& configurationPresets() {
  static const std::vector<ConfigurationPreset> presets{
      {tr("INT8 per channel (x86 default)"),
       tr("Weights int8 symmetric with a scale per output channel, activations uint8 asymmetric."),
       defaultPrecision()},
      {tr("INT8 per tensor"),
       tr("As the default, but one scale for all channels of a weight: the channel with the widest "
          "range sets it."),
       perTensor()},
      {tr("INT16 activations"),
       tr("Weights int8 symmetric per channel, activations int16 symmetric: where activations are "
          "what hurts."),
       wideActivations()},
      {tr("INT4 weights"),
       tr("Weights int4 symmetric per channel, activations uint8 asymmetric: an eighth of the "
          "size of float."),
       narrowWeights()},
      {tr("FP8 (E4M3)"),
       tr("Weights fp8e4m3 with a scale per output channel, activations fp8e4m3 per tensor: for "
          "machines whose products are of 8-bit floats."),
       floats8()},
      {tr("Float"), tr("Nothing is quantized."), unquantized()},
  };
  return presets;
}

int presetOf(const NodePrecision& precision) {
  const std::vector<ConfigurationPreset>& presets = configurationPresets();
  const auto found = std::ranges::find_if(presets, [&](const ConfigurationPreset& preset) {
    // In float, the type that the node would be quantized to makes no difference.
    if (preset.precision.float32) return precision.float32;
    return preset.precision == precision;
  });
  return found == presets.end() ? -1 : static_cast<int>(found - presets.begin());
}

QString typeTitle(QuantType type) {
  if (type == QuantType::Float8E4M3) return QStringLiteral("FP8 E4M3");
  if (type == QuantType::Float8E5M2) return QStringLiteral("FP8 E5M2");
  if (type == QuantType::Ternary) return tr("Ternary");
  if (type == QuantType::Binary) return tr("Binary");
  return text(name(type)).toUpper();
}

QString typeDefinition(QuantType type) {
  switch (type) {
    case QuantType::Float32:
      return tr("Left as it is.");
    case QuantType::Float16:
      return tr(
          "Half floats: 5 bits of exponent and 10 of fraction, up to 65,504, without a "
          "scale.");
    case QuantType::BFloat16:
      return tr(
          "Half floats with the range of FP32: 8 bits of exponent and 7 of fraction, without "
          "a scale.");
    case QuantType::Float8E4M3:
      return tr(
          "Floats of 4 bits of exponent and 3 of fraction, up to 448 times a scale: the finer "
          "FP8.");
    case QuantType::Float8E5M2:
      return tr(
          "Floats of 5 bits of exponent and 2 of fraction, up to 57,344 times a scale: the "
          "wider FP8.");
    case QuantType::Ternary:
      return tr("−1, 0 or 1 times a scale that follows from the mean magnitude.");
    case QuantType::Binary:
      return tr("−1 or 1 times a scale that follows from the mean magnitude.");
    default:
      return tr("Whole numbers from %L1 to %L2, times a scale.")
          .arg(lowestCode(type))
          .arg(highestCode(type));
  }
}

QString granularityWords(const Granularity& granularity) {
  switch (granularity.kind) {
    case Granularity::Kind::PerTensor:
      return tr("per tensor");
    case Granularity::Kind::PerChannel:
      return granularity.axis ? tr("per channel of axis %1").arg(*granularity.axis)
                              : tr("per channel");
    case Granularity::Kind::PerGroup:
      return tr("per group of %1 along axis %2")
          .arg(granularity.groupSize)
          .arg(granularity.axis.value_or(0));
  }
  return {};
}

QString observerWords(const ObserverSpec& observer) {
  switch (observer.kind) {
    case Kind::MinMax:
      return tr("min/max");
    case Kind::MovingAverage:
      return tr("moving average %1").arg(observer.averagingConstant);
    case Kind::Histogram:
      return observer.bins == ObserverSpec().bins ? tr("histogram")
                                                  : tr("histogram of %L1 bins").arg(observer.bins);
    case Kind::Percentile:
      return tr("percentile %1 … %2 %").arg(observer.lowPercent).arg(observer.highPercent);
    case Kind::Mse:
      return tr("least squared error");
    case Kind::Kl:
      return tr("KL divergence");
    case Kind::MaxCodeEntropy:
      return tr("max code entropy");
  }
  return {};
}

QString observerTitle(Kind kind) {
  switch (kind) {
    case Kind::MinMax:
      return tr("Min/max");
    case Kind::MovingAverage:
      return tr("Moving average");
    case Kind::Histogram:
      return tr("Histogram");
    case Kind::Percentile:
      return tr("Percentile");
    case Kind::Mse:
      return tr("Least squared error");
    case Kind::Kl:
      return tr("KL divergence");
    case Kind::MaxCodeEntropy:
      return tr("Max code entropy");
  }
  return {};
}

QString observerDefinition(Kind kind) {
  switch (kind) {
    case Kind::MinMax:
      return tr("The smallest and the largest value seen.");
    case Kind::MovingAverage:
      return tr("Minimum and maximum of the batches, averaged with a constant.");
    case Kind::Histogram:
      return tr(
          "PyTorch's search: the range that costs the least squared error, estimated from "
          "equal bins.");
    case Kind::Percentile:
      return tr("Cuts off a share of the values at both ends.");
    case Kind::Mse:
      return tr(
          "The range with the least expected squared error, rounding and clipping together, "
          "for the codes of the type.");
    case Kind::Kl:
      return tr(
          "TensorRT's calibration: the range whose quantized distribution is nearest to the "
          "float one in the sense of Kullback and Leibler.");
    case Kind::MaxCodeEntropy:
      return tr("The range whose codes carry the most Shannon entropy; it clips hard.");
  }
  return {};
}

std::vector<Kind> observersOf(bool weights) {
  std::vector<Kind> kinds{Kind::MinMax,        Kind::MovingAverage, Kind::Histogram,
                          Kind::Percentile,    Kind::Mse,           Kind::Kl,
                          Kind::MaxCodeEntropy};
  if (weights) std::erase(kinds, Kind::MovingAverage);
  return kinds;
}

QString precisionTitle(const NodePrecision& precision) {
  if (precision.float32) return typeTitle(QuantType::Float32);
  const QuantType weight = precision.weight.type;
  const QuantType activation = precision.activation.type;
  if (bitWidth(weight) == bitWidth(activation)) return typeTitle(weight);
  return tr("%1 weights, %2 activations").arg(typeTitle(weight), typeTitle(activation));
}

QString overrideWords(const NodePrecision& defaults, const NodePrecision& precision) {
  const QString title = precisionTitle(precision);
  if (title != precisionTitle(defaults) || precision == defaults) return title;
  QStringList differing;
  const auto add = [&](const TensorPrecision& from, const TensorPrecision& to, TensorRole role) {
    if (from != to) differing << text(words(role)) + u' ' + text(wordsOfChange(from, to, role));
  };
  add(defaults.weight, precision.weight, TensorRole::Weight);
  add(defaults.activation, precision.activation, TensorRole::Activation);
  if (differing.isEmpty()) add(defaults.output, precision.output, TensorRole::Output);
  return differing.join(QStringLiteral(", "));
}

QString ruleWords(const PrecisionConfig& config, const PrecisionRule& rule) {
  switch (rule.kind) {
    case PrecisionRule::Kind::OpType:
      return tr("from the rule for %1").arg(text(config.opTypes[rule.index].first));
    case PrecisionRule::Kind::Pattern:
      return tr("from pattern “%1”").arg(text(config.patterns[rule.index].match.expression()));
    case PrecisionRule::Kind::Node:
      return tr("from its own entry");
    case PrecisionRule::Kind::Default:
      break;
  }
  return tr("from the default");
}

}  // namespace quantscope
