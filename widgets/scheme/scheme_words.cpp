#include "widgets/scheme/scheme_words.h"

#include <QCoreApplication>
#include <algorithm>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString tr(const char* words) {
  return QCoreApplication::translate("Scheme", words);
}

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

NodePrecision unquantized() {
  NodePrecision precision = defaultPrecision();
  precision.float32 = true;
  return precision;
}

}  // namespace

const std::vector<SchemePreset>& schemePresets() {
  static const std::vector<SchemePreset> presets{
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
      {tr("Float"), tr("Nothing is quantized."), unquantized()},
  };
  return presets;
}

int presetOf(const NodePrecision& precision) {
  const std::vector<SchemePreset>& presets = schemePresets();
  const auto found = std::ranges::find_if(presets, [&](const SchemePreset& preset) {
    // What float would be quantized to, were it not float, makes no difference.
    if (preset.precision.float32) return precision.float32;
    return preset.precision == precision;
  });
  return found == presets.end() ? -1 : static_cast<int>(found - presets.begin());
}

QString typeTitle(QuantType type) {
  if (type == QuantType::Float8E4M3) return QStringLiteral("FP8 E4M3");
  if (type == QuantType::Float8E5M2) return QStringLiteral("FP8 E5M2");
  return text(name(type)).toUpper();
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
    case ObserverSpec::Kind::MinMax:
      return tr("min/max");
    case ObserverSpec::Kind::MovingAverage:
      return tr("moving average %1").arg(observer.averagingConstant);
    case ObserverSpec::Kind::Histogram:
      return tr("histogram");
    case ObserverSpec::Kind::Percentile:
      return tr("percentile %1 … %2 %").arg(observer.lowPercent).arg(observer.highPercent);
    default:
      return text(toString(observer));
  }
}

void setType(TensorPrecision& precision, QuantType type) {
  precision.type = type;
  precision.lowest.reset();
  precision.highest.reset();
  precision.range.reset();
  if (isQuantized(type) && !canBeAsymmetric(type)) precision.symmetric = true;
}

void setDynamic(TensorPrecision& precision, bool dynamic) {
  precision.dynamic = dynamic;
  if (dynamic) precision.range.reset();
}

}  // namespace quantscope
