#include "widgets/heatmap/build_heatmap.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "export/layer_words.h"
#include "export/pictures/scope_bands.h"
#include "graph/graph.h"
#include "widgets/look/text.h"
#include "widgets/view/layer_index.h"

namespace quantscope {
namespace {

QString inSentence(ErrorKind kind) {
  return keyOf(kind) + u' ';
}

Figure figureOf(double value) {
  return std::isnan(value) ? Figure{} : Figure{Figure::Kind::Value, value};
}

Figure figureOf(const LayerResult& layer, ErrorKind kind, const MetricDescription& metric) {
  const std::optional<LayerError>& error = errorOf(layer, kind);
  if (error && error->total.*metric.figure) return figureOf(*(error->total.*metric.figure));
  return {error ? Figure::Kind::NotComputed : absenceOf(layer, kind), 0};
}

// Exporters end a name with its operator, "/features/conv/Conv": where the scope says enough,
// that is left out.
std::vector<std::string> nameParts(const LayerResult& layer) {
  std::vector<std::string> parts = scopeParts(layer.scope);
  const std::string own = shortName(layer.name);
  if (parts.empty() || own != layer.op) parts.push_back(own);
  return parts;
}

QString joined(const std::vector<std::string>& parts, std::size_t first) {
  QStringList names;
  for (std::size_t i = std::min(first, parts.size() - 1); i < parts.size(); ++i) {
    names << text(parts[i]);
  }
  return names.join(u'/');
}

std::vector<HeatmapRow> headsOf(const AnalysisResult& result) {
  std::vector<std::string> scopes;
  scopes.reserve(result.layers.size());
  for (const LayerResult& layer : result.layers) scopes.push_back(layer.scope);
  const std::size_t common = commonScopeParts(scopes);
  std::vector<HeatmapRow> heads;
  heads.reserve(scopes.size());
  for (const LayerResult& layer : result.layers) {
    const std::vector<std::string> parts = nameParts(layer);
    const std::size_t inScope = std::min(scopeParts(layer.scope).size(), common + kBracketLevels);
    // Brackets that leave nothing of a name belong to a single layer and have no room for theirs.
    const bool spent = inScope >= parts.size();
    heads.push_back({.node = layer.node,
                     .name = joined(parts, spent ? common : inScope),
                     .path = joined(parts, common),
                     .op = text(layerOps(layer)),
                     .tip = text(layer.name),
                     .scope = layer.scope,
                     .dataMover = layer.dataMover});
  }
  return heads;
}

// The shortest decimal number that is the same float, so that no digits are read out that mean
// nothing.
double shortest(float value) {
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  double result = static_cast<double>(value);
  std::from_chars(digits.data(), written.ptr, result);
  return result;
}

std::vector<Figure> sampleFigures(const LayerError& error) {
  std::vector<Figure> figures;
  figures.reserve(error.sampleSqnrDb.size());
  for (const float sqnrDb : error.sampleSqnrDb) {
    figures.push_back(figureOf(shortest(sqnrDb)));
  }
  return figures;
}

/// How figures are called and coloured that are differences, or none.
class Naming {
 public:
  explicit Naming(bool differences) : m_differences(differences) {}

  ErrorScale scale(const MetricDescription& metric, const std::vector<Figure>& figures,
                   bool stretch) const {
    return m_differences ? ErrorScale::ofDifferences(metric, figures)
                         : ErrorScale(metric, figures, stretch);
  }
  QString title(const QString& plain) const {
    return m_differences ? QStringLiteral("Δ ") + plain : plain;
  }
  QString name(const QString& plain) const {
    return m_differences ? QStringLiteral("A − B of the ") + plain : plain;
  }

 private:
  bool m_differences;
};

/// The result that is subtracted from the figures; none if `result` is null.
class Others : public Naming {
 public:
  explicit Others(const AnalysisResult* result)
      : Naming(result != nullptr),
        m_result(result),
        m_layers(result != nullptr ? LayerIndex(*result) : LayerIndex()) {}

  bool any() const { return m_result != nullptr; }
  const LayerResult* find(const LayerResult& layer) const {
    const auto found = any() ? m_layers.find(layer.node) : std::nullopt;
    return found ? &m_result->layers[*found] : nullptr;
  }

 private:
  const AnalysisResult* m_result;
  LayerIndex m_layers;
};

// Series of other lengths were measured on other data.
void subtract(std::vector<Figure>& figures, const std::vector<Figure>& others) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    figures[i] = differenceOf(figures[i], figures.size() == others.size() ? others[i] : Figure());
  }
}

// Contributions are not always known; columns without any figure say nothing.
bool hasColumns(const AnalysisResult& result, ErrorKind kind, ErrorKind chosen) {
  return kind != ErrorKind::Contribution || kind == chosen ||
         std::ranges::any_of(result.layers, [](const LayerResult& layer) {
           return layer.contribution.has_value();
         });
}

HeatmapData metricTable(const AnalysisResult& result, int key, ErrorKind chosen, bool stretch,
                        const Others& others) {
  HeatmapColumns columns;
  columns.key = key;
  std::vector<std::vector<Figure>> rows(result.layers.size());
  for (const ErrorKind kind : kErrorKinds) {
    if (!hasColumns(result, kind, chosen)) continue;
    columns.groups.push_back({titleOf(kind), definitionOf(kind), columns.count,
                              static_cast<int>(metricCatalogue().size())});
    for (const MetricDescription& metric : metricCatalogue()) {
      std::vector<Figure> figures;
      figures.reserve(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        figures.push_back(figureOf(result.layers[i], kind, metric));
        if (others.any()) {
          const LayerResult* other = others.find(result.layers[i]);
          figures.back() = differenceOf(
              figures.back(), other == nullptr ? Figure() : figureOf(*other, kind, metric));
        }
        rows[i].push_back(figures.back());
      }
      columns.measures.push_back({others.title(text(metric.title)),
                                  others.name(inSentence(kind) + text(metric.title)),
                                  text(metric.definition), others.scale(metric, figures, stretch)});
      ++columns.count;
    }
  }
  HeatmapData data(std::move(columns));
  std::vector<HeatmapRow> heads = headsOf(result);
  for (std::size_t i = 0; i < rows.size(); ++i) data.addRow(std::move(heads[i]), rows[i]);
  return data;
}

std::vector<Figure> seriesOf(const LayerResult& layer, HeatmapMode mode, ErrorKind kind) {
  const std::optional<LayerError>& error = errorOf(layer, kind);
  if (!error) return {};
  return mode == HeatmapMode::Channels ? channelFigures(*error) : sampleFigures(*error);
}

HeatmapData seriesTable(const AnalysisResult& result, HeatmapMode mode, ErrorKind kind,
                        bool stretch, const Others& others) {
  const bool channels = mode == HeatmapMode::Channels;
  const MetricDescription& sqnr = metricCatalogue().front();
  std::vector<std::vector<Figure>> rows;
  std::vector<Figure> all;
  std::size_t longest = 0;
  for (const LayerResult& layer : result.layers) {
    std::vector<Figure>& row = rows.emplace_back(seriesOf(layer, mode, kind));
    if (others.any()) {
      const LayerResult* other = others.find(layer);
      subtract(row, other == nullptr ? std::vector<Figure>() : seriesOf(*other, mode, kind));
    }
    longest = std::max(longest, row.size());
    // Fixed anchors need no figures.
    if (stretch) all.insert(all.end(), row.begin(), row.end());
  }
  const QString noun = channels ? QStringLiteral("channel") : QStringLiteral("sample");
  const QString title = channels ? QStringLiteral("Channels") : QStringLiteral("Samples");
  HeatmapColumns columns{.count = static_cast<int>(longest),
                         .noun = noun,
                         .key = -1,
                         .measures = {{others.title(text(sqnr.title)),
                                       others.name(inSentence(kind) + text(sqnr.title)),
                                       text(sqnr.definition), others.scale(sqnr, all, stretch)}},
                         .groups = {{title + QStringLiteral(" · ") +
                                         others.name(inSentence(kind) + QStringLiteral("SQNR, dB")),
                                     definitionOf(kind), 0, static_cast<int>(longest)}}};
  HeatmapData data(std::move(columns));
  std::vector<HeatmapRow> heads = headsOf(result);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LayerResult& layer = result.layers[i];
    std::optional<Figure::Kind> rest;
    if (!errorOf(layer, kind)) {
      rest = absenceOf(layer, kind);
    } else if (!channels) {
      rest = Figure::Kind::NotComputed;
    }
    data.addRow(std::move(heads[i]), rows[i], rest);
  }
  return data;
}

HeatmapRow channelHead(NodeId layer, std::size_t channel) {
  const QString name = QObject::tr("channel %1").arg(channel);
  return {.node = layer, .name = name, .path = name, .op = {}, .tip = name, .scope = {}};
}

}  // namespace

HeatmapData buildLayerHeatmap(const LayerMaps& maps, NodeId layer, ErrorKind kind, bool stretch) {
  const ChannelMap& map = maps.own.channels;
  std::vector<Figure> all;
  all.reserve(map.sqnrDb.size());
  for (std::size_t channel = 0; channel < map.channels; ++channel) {
    for (std::size_t sample = 0; sample < map.samples; ++sample) {
      all.push_back(maps.figureAt(channel, sample));
    }
  }
  const MetricDescription& sqnr = metricCatalogue().front();
  const auto samples = static_cast<int>(map.samples);
  const Naming naming(maps.differences());
  HeatmapData data(
      {.count = samples,
       .noun = QStringLiteral("sample"),
       .key = -1,
       .measures = {{naming.title(text(sqnr.title)),
                     naming.name(inSentence(kind) + text(sqnr.title)), text(sqnr.definition),
                     naming.scale(sqnr, all, stretch)}},
       .groups = {{QObject::tr("Samples · %1")
                       .arg(naming.name(inSentence(kind) + QStringLiteral("SQNR, dB"))),
                   definitionOf(kind), 0, samples}},
       .ofChannels = true});
  for (std::size_t channel = 0; channel < map.channels; ++channel) {
    data.addRow(channelHead(layer, channel),
                std::span(all).subspan(channel * map.samples, map.samples));
  }
  return data;
}

std::vector<Figure> channelFigures(const LayerError& error) {
  std::vector<Figure> figures;
  figures.reserve(error.channelSqnrDb.size());
  for (const double sqnrDb : error.channelSqnrDb) figures.push_back(figureOf(sqnrDb));
  return figures;
}

HeatmapData buildHeatmap(const AnalysisResult& result, HeatmapMode mode, ErrorKind kind,
                         bool stretch, std::size_t metric, const AnalysisResult* other) {
  const Others others(other);
  // Contributions are not known by channel.
  if (mode == HeatmapMode::Channels && kind == ErrorKind::Contribution) kind = ErrorKind::Local;
  const auto order =
      static_cast<std::size_t>(std::ranges::find(kErrorKinds, kind) - kErrorKinds.begin());
  const std::size_t key = order * metricCatalogue().size() + metric;
  return mode == HeatmapMode::Metrics
             ? metricTable(result, static_cast<int>(key), kind, stretch, others)
             : seriesTable(result, mode, kind, stretch, others);
}

}  // namespace quantscope
