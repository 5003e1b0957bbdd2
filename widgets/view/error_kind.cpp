#include "widgets/view/error_kind.h"

#include <algorithm>

namespace quantscope {
namespace {

struct Words {
  const char* key;
  const char* title;
  const char* definition;
};

const Words& wordsOf(ErrorKind kind) {
  static constexpr Words kLocal{
      "local", "Local error",
      "Only this layer is quantized and its inputs are float: the error that it makes by itself. "
      "Small is good."};
  static constexpr Words kAccumulated{
      "accumulated", "Accumulated error",
      "The whole network is quantized: how far this value is from its float twin, errors of all "
      "layers before it included. Small is good."};
  static constexpr Words kContribution{
      "contribution", "Contribution",
      "Only this layer is quantized: the error that reaches the outputs of the network, the worst "
      "of them, which is its sensitivity around float. Small is good."};
  switch (kind) {
    case ErrorKind::Local:
      return kLocal;
    case ErrorKind::Accumulated:
      return kAccumulated;
    case ErrorKind::Contribution:
      break;
  }
  return kContribution;
}

}  // namespace

QString titleOf(ErrorKind kind) {
  return QString::fromUtf8(wordsOf(kind).title);
}

QString definitionOf(ErrorKind kind) {
  return QString::fromUtf8(wordsOf(kind).definition);
}

QString keyOf(ErrorKind kind) {
  return QString::fromUtf8(wordsOf(kind).key);
}

ErrorKind errorKindOf(const QString& key) {
  const auto* found = std::ranges::find(kErrorKinds, key, keyOf);
  return found == kErrorKinds.end() ? ErrorKind::Local : *found;
}

const std::optional<LayerError>& errorOf(const LayerResult& layer, ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Local:
      return layer.local;
    case ErrorKind::Accumulated:
      return layer.accumulated;
    case ErrorKind::Contribution:
      break;
  }
  return layer.contribution;
}

// A layer has an own error or a contribution only if something of it is quantized.
Figure::Kind absenceOf(const LayerResult& layer, ErrorKind kind) {
  return kind != ErrorKind::Accumulated && !layer.quantized ? Figure::Kind::NotQuantized
                                                            : Figure::Kind::NotComputed;
}

}  // namespace quantscope
