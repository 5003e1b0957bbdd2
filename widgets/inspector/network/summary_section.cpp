#include "widgets/inspector/network/summary_section.h"

#include <QVBoxLayout>

#include "base/number_text.h"
#include "widgets/inspector/measured/worst_section.h"
#include "widgets/inspector/network/attribute_text.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/facts.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

using Kind = InspectorSubject::Kind;

constexpr std::size_t kMostReaders = 24;

// " (+2)"
QString countChange(std::size_t now, std::size_t before) {
  if (now == before) return {};
  return now > before ? QStringLiteral(" (+%1)").arg(now - before)
                      : QStringLiteral(" (−%1)").arg(before - now);
}

void addCounts(const InspectorSubject& subject, Facts& facts) {
  std::size_t quantized = 0;
  std::size_t movers = 0;
  std::size_t parameters = 0;
  const std::vector<std::size_t> layers = layersOf(subject);
  const LayerIndex compared = subject.compared ? LayerIndex(*subject.compared) : LayerIndex();
  std::size_t quantizedBefore = 0;
  for (const std::size_t index : layers) {
    const LayerResult& layer = subject.result().layers[index];
    quantized += layer.quantized ? 1 : 0;
    const auto before = compared.find(layer.node);
    quantizedBefore += before && subject.compared->layers[*before].quantized ? 1 : 0;
    movers += layer.dataMover ? 1 : 0;
    parameters += static_cast<std::size_t>(layer.parameters);
  }
  facts.add(SummarySection::tr("layers"), layers.size(),
            SummarySection::tr("Fused patterns count as one"));
  facts.add(SummarySection::tr("quantized"),
            text(grouped(quantized)) +
                (subject.compared ? countChange(quantized, quantizedBefore) : QString()));
  if (movers > 0) {
    facts.add(SummarySection::tr("only move data"), movers,
              SummarySection::tr("They share the grid of their input"));
  }
  facts.add(SummarySection::tr("parameters"), parameters,
            SummarySection::tr("Elements of constant float inputs"));
}

void addModel(const InspectorSubject& subject, Facts& facts) {
  const AnalysisResult& result = subject.result();
  const Graph& graph = subject.graph();
  facts.add(SummarySection::tr("nodes"), graph.nodes().size());
  for (const ValueId input : graph.inputs()) {
    facts.add(SummarySection::tr("input"),
              text(graph[input].name) + u' ' + typeText(graph[input].type));
  }
  for (const auto& [domain, version] : graph.opsets) {
    if (domain.empty()) facts.add(SummarySection::tr("opset"), QString::number(version));
  }
  facts.add(SummarySection::tr("made by"), text(graph.producerName));
  facts.add(SummarySection::tr("backend"), text(result.backend));
  if (!subject.sampled()) return;
  facts.add(SummarySection::tr("data"), text(result.data));
  facts.add(SummarySection::tr("samples"), result.samples);
}

void addValue(const InspectorSubject& subject, Facts& facts) {
  const Value& value = subject.graph()[subject.selected.value];
  facts.add(SummarySection::tr("shape, type"), typeText(value.type));
  if (value.constant.defined()) {
    facts.add(SummarySection::tr("elements"), value.constant.elementCount());
    facts.add(SummarySection::tr("size"),
              text(byteSize(static_cast<double>(value.constant.byteSize()))));
  }
  if (const Observation* observed = subject.observation()) {
    facts.add(SummarySection::tr("observed range"),
              SummarySection::tr("%1 … %2").arg(shortText(observed->range.low),
                                                shortText(observed->range.high)),
              SummarySection::tr("Smallest and largest number over the calibration data"));
    facts.add(SummarySection::tr("elements seen"), observed->count);
    if (observed->nonFinite > 0) {
      facts.add(SummarySection::tr("NaN or infinite"), observed->nonFinite);
    }
  }
}

}  // namespace

SummarySection::SummarySection(Selection* selection, QWidget* parent)
    : InspectorSection(QStringLiteral("summary"), tr("Facts"), parent),
      m_selection(selection),
      m_facts(new CellTable(tr("Facts"), this)),
      m_readers(new CellTable(tr("Read by"), this)) {
  m_facts->setHeaderShown(false);
  body()->addWidget(m_facts);
  body()->addWidget(m_readers);
  connect(m_readers, &CellTable::rowActivated, this, [this](int row) {
    m_selection->select(Selected(m_targets[static_cast<std::size_t>(row)]));
  });
}

bool SummarySection::appliesTo(const InspectorSubject& subject) const {
  return !subject.isLayer() && subject.kind != Kind::Several;
}

void SummarySection::refresh() {
  Facts facts;
  CellTableContent readers;
  readers.headers = {tr("Read by"), QString()};
  m_targets.clear();
  if (subject().kind == Kind::Value) {
    addValue(subject(), facts);
    for (const NodeId consumer : subject().graph()[subject().selected.value].consumers) {
      if (m_targets.size() >= kMostReaders) break;
      const Node& node = subject().graph()[consumer];
      m_targets.push_back(selectionOf(subject(), consumer));
      readers.rows.push_back(
          {linkCell(text(node.name), text(node.name)), mutedCell(text(node.op))});
    }
  } else {
    addCounts(subject(), facts);
    if (subject().kind == Kind::Model) addModel(subject(), facts);
  }
  m_facts->setContent(facts.take(), 1);
  m_readers->setContent(std::move(readers));
}

QString SummarySection::asText() const {
  return m_facts->asText() + (m_targets.empty() ? QString() : m_readers->asText());
}

}  // namespace quantscope
