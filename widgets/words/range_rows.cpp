#include "widgets/words/range_rows.h"

#include <algorithm>

#include "base/number_text.h"
#include "calibration/observers/observed_range.h"
#include "export/layer_words.h"

namespace quantscope {
namespace {

/// Every value's grid: that of its output, else that of the first edge that reads it.
std::vector<const QuantParams*> paramsByValue(const AnalysisSnapshot& snapshot) {
  std::vector<const QuantParams*> params(snapshot.graph().values().size(), nullptr);
  const QuantizedModel& model = *snapshot.quantized;
  for (const QuantizationPoint& point : model.groups.points) {
    const std::optional<QuantParams>& found = model.groupParams[point.group];
    if (!found) continue;
    const QuantParams*& known = params[point.value.at()];
    if (known == nullptr || point.isOutput()) known = &*found;
  }
  return params;
}

std::optional<Range> representable(const QuantParams& params) {
  if (params.grids.empty()) return std::nullopt;
  Range range;
  for (const Grid& grid : params.grids) range.include(params.representable(grid));
  return range;
}

class RowCollector {
 public:
  explicit RowCollector(const AnalysisSnapshot& snapshot)
      : m_snapshot(snapshot), m_params(paramsByValue(snapshot)) {}

  std::vector<RangeRow> collect() {
    const Graph& graph = m_snapshot.graph();
    for (const ValueId input : graph.inputs()) {
      RangeRow row;
      row.name = graph[input].name;
      row.op = "Input";
      add(std::move(row), input);
    }
    const auto& layers = m_snapshot.result->layers;
    for (std::size_t i = 0; i < layers.size(); ++i) addLayer(layers[i], i);
    return std::move(m_rows);
  }

 private:
  void addLayer(const LayerResult& layer, std::size_t index) {
    const Graph& graph = m_snapshot.graph();
    for (const NodeId member : layer.members) {
      const bool last = member == layer.members.back();
      for (const ValueId output : graph[member].outputs) {
        RangeRow row;
        row.node = layer.node;
        row.layer = index;
        row.inner = !last;
        row.name = last ? layer.name : graph[member].name;
        row.op = last ? layerOps(layer) : graph[member].op;
        if (graph[member].outputs.size() > 1 && output.valid())
          row.name += " → " + graph[output].name;
        const bool compared = output.valid() && graph[output].name == layer.outputValue;
        if (compared) row.clippedShare = layer.clippedShare;
        add(std::move(row), output);
      }
    }
  }

  void add(RangeRow row, ValueId value) {
    const std::size_t position = m_position++;
    if (!value.valid() || !m_snapshot.observations->observed(value)) return;
    row.value = value;
    row.position = position;
    row.observation = m_snapshot.observations->find(value);
    if (const QuantParams* params = m_params[value.at()]; params != nullptr && !row.inner) {
      row.params = *params;
      row.grid = representable(*params);
    }
    m_rows.push_back(std::move(row));
  }

  const AnalysisSnapshot& m_snapshot;
  std::vector<const QuantParams*> m_params;
  std::vector<RangeRow> m_rows;
  std::size_t m_position = 0;
};

std::string clippingLine(const RangeRow& row) {
  if (row.clippedShare) {
    return *row.clippedShare > 0 ? percent(*row.clippedShare) + " of the elements are clipped."
                                 : "No element is clipped.";
  }
  const double outside = shareOutside(*row.observation, *row.grid);
  return outside > 0 ? "About " + percent(outside) + " of the calibrated elements lie outside."
                     : "No calibrated element lies outside.";
}

double unusedShare(const Range& grid, const Range& observed) {
  const double width = static_cast<double>(grid.high) - grid.low;
  const double common = std::min(grid.high, observed.high) - std::max(grid.low, observed.low);
  return width > 0 ? 1 - std::max(0.0, common) / width : 0;
}

}  // namespace

double RangeRow::width() const {
  return static_cast<double>(observed().high) - observed().low;
}

std::optional<double> RangeRow::mismatch() const {
  return grid ? std::optional(mismatchOf(observed(), *grid)) : std::nullopt;
}

double mismatchOf(const Range& observed, const Range& grid) {
  const double all =
      static_cast<double>(std::max(grid.high, observed.high)) - std::min(grid.low, observed.low);
  const double common =
      static_cast<double>(std::min(grid.high, observed.high)) - std::max(grid.low, observed.low);
  return all > 0 ? 1 - std::max(0.0, common) / all : 0;
}

std::vector<RangeRow> rangeRows(const AnalysisSnapshot& snapshot) {
  return RowCollector(snapshot).collect();
}

Range innerRange(const Observation& observation) {
  ObserverSpec percentiles;
  percentiles.kind = ObserverSpec::Kind::Percentile;
  return computeRange(observation, percentiles);
}

double shareOutside(const Observation& observation, const Range& grid) {
  double outside = 0;
  for (const LogLinearBin& bin : observation.logLinear.bins()) {
    const double middle = (static_cast<double>(bin.low) + bin.high) / 2;
    const double element =
        std::clamp<double>(middle, observation.range.low, observation.range.high);
    if (element < grid.low || element > grid.high) outside += static_cast<double>(bin.count);
  }
  return observation.count == 0 ? 0 : outside / static_cast<double>(observation.count);
}

std::string rangeText(const Range& range) {
  return shortNumber(range.low) + " … " + shortNumber(range.high);
}

std::vector<std::string> rangeWords(const RangeRow& row) {
  const Observation& observation = *row.observation;
  std::vector<std::string> lines;
  lines.push_back("Observed " + rangeText(row.observed()) + " over " +
                  grouped(observation.samples) +
                  (observation.samples == 1 ? " calibration sample." : " calibration samples."));
  lines.push_back("99.8 % of the elements lie in " + rangeText(innerRange(observation)) + ".");
  if (row.inner) {
    lines.push_back("Inside a fused layer: it is never quantized by itself.");
  } else if (!row.params) {
    lines.push_back("Not quantized.");
  } else if (!row.grid) {
    lines.push_back("Dynamic " + std::string(name(row.params->type)) +
                    ": every sample gets a grid of its own.");
  } else {
    lines.push_back("The " + std::string(name(row.params->type)) + " grid represents " +
                    rangeText(*row.grid) + ".");
    lines.push_back(clippingLine(row));
    const double unused = unusedShare(*row.grid, row.observed());
    if (unused >= 0.01) lines.push_back(percent(unused) + " of the grid is never used.");
  }
  if (observation.nonFinite > 0)
    lines.push_back(grouped(observation.nonFinite) + " elements are NaN or infinite.");
  return lines;
}

}  // namespace quantscope
