#include "widgets/inspector/measured/worst_section.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "export/layer_words.h"
#include "export/pictures/scope_bands.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/changes.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

constexpr std::size_t kOfModel = 5;
constexpr std::size_t kOfScope = 12;

using Parts = std::vector<std::string>;

// How many parts all names share at one end, leaving each at least one part of its own.
std::size_t sharedParts(const std::vector<Parts>& names, std::size_t taken, bool atEnd) {
  for (std::size_t count = 0;; ++count) {
    for (const Parts& name : names) {
      if (name.size() <= taken + count + 1) return count;
      const Parts& first = names.front();
      const bool same = atEnd ? name[name.size() - 1 - count] == first[first.size() - 1 - count]
                              : name[count] == first[count];
      if (!same) return count;
    }
  }
}

// The names of the layers without the parts that all of them share.
QStringList distinctNames(const AnalysisResult& result, const std::vector<std::size_t>& layers) {
  std::vector<Parts> names;
  for (const std::size_t layer : layers) names.push_back(scopeParts(result.layers[layer].name));
  if (names.size() < 2)
    return layers.empty() ? QStringList() : QStringList{text(result.layers[layers[0]].name)};
  const std::size_t first = sharedParts(names, 0, false);
  const std::size_t last = sharedParts(names, first, true);
  QStringList shown;
  for (const Parts& name : names) {
    QStringList words;
    for (std::size_t i = first; i + last < name.size(); ++i) words << text(name[i]);
    shown << words.join(u'/');
  }
  return shown;
}

}  // namespace

std::vector<std::size_t> layersOf(const InspectorSubject& subject) {
  std::vector<std::size_t> layers;
  const bool ofScope = subject.kind == InspectorSubject::Kind::Scope;
  for (std::size_t i = 0; i < subject.result().layers.size(); ++i) {
    if (!ofScope || isInside(subject.result().layers[i].scope, subject.selected.scope)) {
      layers.push_back(i);
    }
  }
  return layers;
}

std::vector<std::size_t> worstBy(const DisplayOptions& options, const AnalysisResult& result,
                                 const std::vector<std::size_t>& layers, std::size_t most) {
  // Stretched over the model, positions order all figures; fixed anchors would make equals of them.
  const ErrorScale order(options.metric(), options.figures(result), true);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (const std::size_t layer : layers) {
    const Figure figure = options.figureOf(result.layers[layer]);
    if (figure.kind != Figure::Kind::Value || result.layers[layer].dataMover) continue;
    ranked.emplace_back(-order.position(figure.value), layer);
  }
  std::ranges::sort(ranked);
  std::vector<std::size_t> worst;
  for (std::size_t i = 0; i < std::min(most, ranked.size()); ++i) {
    worst.push_back(ranked[i].second);
  }
  return worst;
}

WorstSection::WorstSection(Selection* selection, const DisplayOptions* options, QWidget* parent)
    : InspectorSection(QStringLiteral("worst"), tr("Worst layers"), parent),
      m_selection(selection),
      m_options(options),
      m_caption(wordLabel(this, true)),
      m_table(new CellTable(tr("Worst layers"), this)) {
  body()->addWidget(m_caption);
  body()->addWidget(m_table);
  m_table->setRowsActive(true);
  connect(m_table, &CellTable::rowActivated, this,
          [this](int row) { m_selection->selectNode(m_nodes[static_cast<std::size_t>(row)]); });
}

bool WorstSection::appliesTo(const InspectorSubject& subject) const {
  const bool whole = subject.kind == InspectorSubject::Kind::Model ||
                     subject.kind == InspectorSubject::Kind::Scope;
  return whole && subject.sampled();
}

void WorstSection::refresh() {
  const AnalysisResult& result = subject().result();
  const bool ofScope = subject().kind == InspectorSubject::Kind::Scope;
  const ErrorScale scale = m_options->scale(result);
  const MetricDescription& metric = m_options->metric();
  const QString unit = text(metric.unit);
  CellTableContent table;
  table.headers = {tr("Layer"), tr("Operator"),
                   unit.isEmpty() ? text(metric.title) : text(metric.title) + u' ' + unit};
  table.headerTips = {{}, {}, text(metric.definition)};
  const bool compares = subject().compared && !m_options->delta();
  if (compares) addChangeHeader(table, text(metric.title));
  m_nodes.clear();
  const std::vector<std::size_t> worst =
      worstBy(*m_options, result, layersOf(subject()), ofScope ? kOfScope : kOfModel);
  const QStringList names = distinctNames(result, worst);
  for (std::size_t i = 0; i < worst.size(); ++i) {
    const LayerResult& layer = result.layers[worst[i]];
    m_nodes.push_back(layer.node);
    table.rows.push_back({linkCell(names[static_cast<qsizetype>(i)], text(layer.name)),
                          mutedCell(text(layer.op), text(layerOps(layer))),
                          heatCell(m_options->figureOf(layer), scale)});
    if (!compares) continue;
    const auto known = [](const Figure& figure) {
      return figure.kind == Figure::Kind::Value ? std::optional(figure.value) : std::nullopt;
    };
    table.rows.back().push_back(mutedChange(known(m_options->figureOf(layer)),
                                            known(m_options->otherFigureOf(layer)), unit));
  }
  setWords(m_caption, table.rows.empty()
                          ? tr("No layer has a figure of this kind.")
                          : tr("%1. A click shows why.").arg(titleOf(m_options->kind())));
  m_caption->setToolTip(definitionOf(m_options->kind()));
  m_table->setContent(std::move(table));
}

QString WorstSection::asText() const {
  return titleOf(m_options->kind()) + u'\n' + m_table->asText();
}

}  // namespace quantscope
