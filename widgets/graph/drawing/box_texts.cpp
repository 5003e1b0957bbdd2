#include "widgets/graph/drawing/box_texts.h"

#include <algorithm>
#include <cctype>

#include "base/number_text.h"
#include "export/layer_words.h"
#include "export/pictures/scope_bands.h"
#include "widgets/look/text.h"
#include "widgets/look/translate.h"

namespace quantscope {
namespace {

// "Conv", "Conv_12", "conv2d": a name that tells no more than the operator does.
bool namesOperator(std::string_view name, std::string_view op) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  if (name.size() < op.size() || !std::ranges::equal(name.substr(0, op.size()), op, same)) {
    return false;
  }
  return std::ranges::all_of(name.substr(op.size()), [](unsigned char c) {
    return c == '_' || c == '.' || std::isdigit(c) != 0;
  });
}

// The name without the scope that frames tell, and without the operator where scopes are left.
QString nameInside(const LayerResult& layer, const std::string& prefix) {
  const bool inside = layer.scope.starts_with(prefix);
  std::string words;
  for (const std::string& part :
       scopeParts(std::string_view(layer.scope).substr(inside ? prefix.size() : 0))) {
    words += (words.empty() ? "" : "/") + part;
  }
  const std::string name = shortName(layer.name);
  if (words.empty()) return text(name);
  return text(namesOperator(name, layer.op) ? words : words + "/" + name);
}

// The number that a constant of one element is; empty where it is none of the usual ones.
std::string numberOf(const Tensor& constant) {
  if (constant.elementCount() != 1) return {};
  switch (constant.type()) {
    case ElementType::Float32:
      return exactNumber(static_cast<double>(constant.values<float>()[0]));
    case ElementType::Int64:
      return std::to_string(constant.values<std::int64_t>()[0]);
    case ElementType::Int32:
      return std::to_string(constant.values<std::int32_t>()[0]);
    default:
      return {};
  }
}

// "weight 32 × 3 × 3 × 3", or the number itself.
std::string constantTitle(const Value& value) {
  const std::string number = numberOf(value.constant);
  if (!number.empty()) return number;
  std::string words = shortName(value.name);
  const Shape& shape = value.constant.shape();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    words += (axis == 0 ? " " : " × ") + std::to_string(shape[axis]);
  }
  return words;
}

QString countText(std::size_t layers) {
  return layers == 1 ? tr("1 layer") : tr("%1 layers").arg(text(grouped(layers)));
}

}  // namespace

DrawnBox layerBox(const AnalysisResult& result, std::size_t index, const std::string& prefix) {
  const LayerResult& layer = result.layers[index];
  DrawnBox box;
  box.kind = layer.dataMover ? DrawnBox::Kind::DataMover : DrawnBox::Kind::Layer;
  box.title = text(layerOps(layer));
  box.subtitle = nameInside(layer, prefix);
  box.layers = {index};
  box.scope = layer.scope;
  return box;
}

DrawnBox valueBox(const Graph& graph, ValueId value, DrawnBox::Kind kind) {
  DrawnBox box;
  box.kind = kind;
  box.value = value;
  const bool constant = kind == DrawnBox::Kind::Constant;
  box.title = text(constant ? constantTitle(graph[value]) : graph[value].name);
  box.subtitle = text(constant ? graph[value].name : toString(graph[value].type.shape));
  return box;
}

DrawnBox cardBox(const ScopeGroup& group, std::vector<std::size_t> layers) {
  DrawnBox box;
  box.kind = group.kind == ScopeGroup::Kind::Owner ? DrawnBox::Kind::Body : DrawnBox::Kind::Scope;
  box.title = groupTitle(group);
  const bool ownerCounts = box.kind == DrawnBox::Kind::Scope;
  box.subtitle = countText(layers.size() - (ownerCounts ? 0 : 1));
  box.layers = std::move(layers);
  if (!group.scopes.empty()) box.scope = group.scopes.back();
  box.part = group.part;
  box.owner = group.owner;
  return box;
}

QString groupTitle(const ScopeGroup& group) {
  const QString title = text(group.title);
  if (group.part == 0) return title;
  return tr("%1 (%2 of %3)").arg(title).arg(group.part).arg(group.parts);
}

}  // namespace quantscope
