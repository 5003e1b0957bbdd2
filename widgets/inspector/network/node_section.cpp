#include "widgets/inspector/network/node_section.h"

#include <QLabel>
#include <QVBoxLayout>
#include <set>

#include "base/number_text.h"
#include "widgets/inspector/network/attribute_text.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::size_t kMostEntries = 32;
constexpr std::size_t kMostConsumers = 24;

QString operatorWords(const InspectorSubject& subject) {
  const Node& node = subject.graph()[subject.layer().node];
  QString words = node.domain.empty()
                      ? text(node.op)
                      : NodeSection::tr("%1 of domain %2").arg(text(node.op), text(node.domain));
  if (node.version > 0) words += NodeSection::tr(", version %1 of the operator").arg(node.version);
  for (const auto& [domain, version] : subject.graph().opsets) {
    if (domain == node.domain) words += NodeSection::tr(", opset %1").arg(version);
  }
  const auto parameters = static_cast<std::size_t>(subject.layer().parameters);
  if (parameters > 0) words += NodeSection::tr(", %1 parameters").arg(text(grouped(parameters)));
  return words + u'.';
}

// The values that the layer reads from outside of its pattern, constants too, each once.
std::vector<ValueId> inputsOf(const InspectorSubject& subject) {
  const Graph& graph = subject.graph();
  std::set<ValueId> made;
  std::vector<ValueId> inputs;
  std::set<ValueId> seen;
  for (const NodeId member : subject.layer().members) {
    for (const ValueId input : readValues(graph, member)) {
      if (input.valid() && !made.contains(input) && seen.insert(input).second) {
        inputs.push_back(input);
      }
    }
    made.insert(graph[member].outputs.begin(), graph[member].outputs.end());
  }
  return inputs;
}

// Leaves out the type that nearly all values have.
QString shapeText(const ValueType& type) {
  return type.element == ElementType::Float32 ? text(toString(type.shape)) : typeText(type);
}

QString rangeTip(const InspectorSubject& subject, ValueId value) {
  const auto& observations = subject.snapshot->observations;
  if (!observations || !observations->observed(value)) return {};
  const Range& range = observations->find(value)->range;
  return NodeSection::tr("\nobserved from %1 to %2")
      .arg(shortText(range.low), shortText(range.high));
}

}  // namespace

NodeSection::NodeSection(Selection* selection, QWidget* parent)
    : InspectorSection(QStringLiteral("node"), tr("Node"), parent),
      m_selection(selection),
      m_operator(wordLabel(this)),
      m_values(new CellTable(tr("Inputs and outputs"), this)),
      m_membersCaption(wordLabel(this, true)),
      m_members(new CellTable(tr("Fused nodes"), this)),
      m_attributesCaption(wordLabel(this, true)),
      m_attributes(new CellTable(tr("Attributes"), this)) {
  for (QWidget* widget :
       {static_cast<QWidget*>(m_operator), static_cast<QWidget*>(m_values),
        static_cast<QWidget*>(m_membersCaption), static_cast<QWidget*>(m_members),
        static_cast<QWidget*>(m_attributesCaption), static_cast<QWidget*>(m_attributes)}) {
    body()->addWidget(widget);
  }
  for (CellTable* table : {m_values, m_members, m_attributes}) table->setHeaderShown(false);
  connect(m_values, &CellTable::rowActivated, this, [this](int row) {
    m_selection->select(Selected(m_targets[static_cast<std::size_t>(row)]));
  });
}

bool NodeSection::appliesTo(const InspectorSubject& subject) const {
  return subject.isLayer();
}

void NodeSection::refresh() {
  setNote(text(subject().layer().op));
  setWords(m_operator, operatorWords(subject()));
  m_values->setContent(valueRows(), 1);
  const bool fused = subject().layer().members.size() > 1;
  setWords(m_membersCaption, fused ? tr("Computed as one") : QString());
  m_members->setContent(fused ? memberRows() : CellTableContent(), 1);
  CellTableContent attributes = attributeRows();
  setWords(m_attributesCaption, attributes.rows.empty() ? QString() : tr("Attributes"));
  m_attributes->setContent(std::move(attributes), 1);
}

CellTableContent NodeSection::valueRows() {
  const Graph& graph = subject().graph();
  CellTableContent table;
  table.headers = {QString(), QString(), QString()};
  m_targets.clear();
  const auto add = [&](const QString& role, const QString& name, const QString& more,
                       const QString& tip, Selected target) {
    const bool leads = target != subject().selected;
    table.rows.push_back(
        {mutedCell(role), leads ? linkCell(name, tip) : textCell(name, tip), mutedCell(more, tip)});
    m_targets.push_back(std::move(target));
  };
  const auto addValue = [&](const QString& role, ValueId id) {
    const QString type = typeText(graph[id].type);
    add(role, text(graph[id].name), shapeText(graph[id].type),
        text(graph[id].name) + u'\n' + type + rangeTip(subject(), id), selectionOf(subject(), id));
  };
  for (const ValueId input : inputsOf(subject())) {
    addValue(graph.constant(input) != nullptr ? tr("constant") : tr("reads"), input);
  }
  std::set<NodeId> listed;
  for (const ValueId output : graph[subject().layer().members.back()].outputs) {
    if (!output.valid()) continue;
    addValue(tr("makes"), output);
    for (const NodeId consumer : graph[output].consumers) {
      const Selected target = selectionOf(subject(), consumer);
      if (listed.size() >= kMostConsumers || !listed.insert(target.node).second) continue;
      add(tr("read by"), text(graph[consumer].name), text(graph[consumer].op),
          text(graph[consumer].name), target);
    }
  }
  return table;
}

CellTableContent NodeSection::memberRows() const {
  CellTableContent table;
  table.headers = {QString(), QString()};
  for (const NodeId member : subject().layer().members) {
    const Node& node = subject().graph()[member];
    table.rows.push_back({mutedCell(text(node.op)), textCell(text(node.name), text(node.name))});
  }
  return table;
}

CellTableContent NodeSection::attributeRows() const {
  const Graph& graph = subject().graph();
  CellTableContent table;
  table.headers = {QString(), QString()};
  for (const NodeId member : subject().layer().members) {
    const QString prefix = member == subject().layer().node
                               ? QString()
                               : text(graph[member].op) + QStringLiteral(" · ");
    for (const Attribute& attribute : graph[member].attributes) {
      const QString value = attributeText(attribute, kMostEntries);
      Cell cell = textCell(value, value);
      cell.number = true;
      table.rows.push_back({mutedCell(prefix + text(attribute.name)), std::move(cell)});
    }
    for (const auto& [name, body] : graph[member].bodies) {
      Cell cell = textCell(tr("%1 nodes").arg(graph[body].nodes.size()));
      cell.number = true;
      table.rows.push_back({mutedCell(prefix + text(name)), std::move(cell)});
    }
  }
  return table;
}

QString NodeSection::asText() const {
  QString lines = m_operator->text() + u'\n';
  for (const CellTable* table : {m_values, m_members, m_attributes}) {
    if (!table->content().rows.empty()) lines += table->asText();
  }
  return lines;
}

}  // namespace quantscope
