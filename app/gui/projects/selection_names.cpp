#include "app/gui/projects/selection_names.h"

#include <QJsonArray>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

const QString kNode = QStringLiteral("node");
const QString kScope = QStringLiteral("scope");
const QString kValue = QStringLiteral("value");
const QString kChannel = QStringLiteral("channel");
const QString kSample = QStringLiteral("sample");
const QString kMore = QStringLiteral("more");

}  // namespace

QJsonObject toJson(const Selected& selected, const Graph& graph) {
  QJsonObject json;
  if (selected.node.valid()) json[kNode] = text(graph[selected.node].name);
  if (!selected.scope.empty()) json[kScope] = text(selected.scope);
  if (selected.value.valid()) json[kValue] = text(graph[selected.value].name);
  if (selected.channel >= 0) json[kChannel] = selected.channel;
  if (selected.sample >= 0) json[kSample] = selected.sample;
  QJsonArray more;
  for (const NodeId node : selected.more) more.append(text(graph[node].name));
  if (!more.isEmpty()) json[kMore] = more;
  return json;
}

Selected selectedFrom(const QJsonObject& json, const Graph& graph) {
  const auto node = [&](const QJsonValue& name) {
    return graph.findNode(name.toString().toStdString());
  };
  Selected selected;
  if (json.contains(kNode)) selected.node = node(json[kNode]);
  selected.scope = json[kScope].toString().toStdString();
  if (json.contains(kValue)) {
    selected.value = graph.findValue(json[kValue].toString().toStdString());
  }
  const bool there = selected.node.valid() || selected.value.valid() || !selected.scope.empty();
  if (!there) return {};
  selected.channel = json[kChannel].toInt(-1);
  selected.sample = json[kSample].toInt(-1);
  for (const QJsonValue& name : json[kMore].toArray()) {
    if (const NodeId more = node(name); more.valid()) selected.more.push_back(more);
  }
  return selected;
}

}  // namespace quantscope
