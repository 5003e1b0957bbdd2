#include "maps_controller.h"

#include <cmath>
#include <optional>

#include "app/gui/comparison.h"
#include "widgets/heatmap/heatmap_view.h"

namespace quantscope {
namespace {

// True if `index` is the chosen one. True for any index if nothing valid is chosen.
bool fits(int chosen, std::size_t index, std::size_t count) {
  return chosen < 0 || static_cast<std::size_t>(chosen) >= count ||
         static_cast<std::size_t>(chosen) == index;
}

// How much a figure asks to be looked at; less is more. Differences in either direction do.
double rankOf(const LayerMaps& maps, const Figure& figure) {
  if (figure.kind != Figure::Kind::Value) return INFINITY;
  return maps.differences() ? -std::abs(figure.value) : figure.value;
}

// Fills a missing choice with the place of the largest error, or difference.
void choosePlace(LayerMaps& maps) {
  const ChannelMap& map = maps.own.channels;
  double worst = INFINITY;
  for (std::size_t channel = 0; channel < map.channels; ++channel) {
    if (!fits(maps.asked.channel, channel, map.channels)) continue;
    for (std::size_t sample = 0; sample < map.samples; ++sample) {
      if (!fits(maps.asked.sample, sample, map.samples)) continue;
      const double rank = rankOf(maps, maps.figureAt(channel, sample));
      if (maps.channel >= 0 && !(rank < worst)) continue;
      maps.channel = static_cast<int>(channel);
      maps.sample = static_cast<int>(sample);
      worst = rank;
    }
  }
}

// Measures one layer of a snapshot.
class Measured {
 public:
  Measured(const AnalysisSnapshot& of, std::size_t layer, MapKind kind, AnalysisMemory& memory,
           JobContext& job)
      : m_of(of), m_layer(layer), m_kind(kind), m_memory(memory), m_job(job) {}

  ChannelMap channels() const {
    return measureChannelMap(*m_of.model.engine, *m_of.quantized, *m_of.data, m_layer, m_kind,
                             m_memory, m_job);
  }
  std::optional<PixelMap> pixels(const LayerMaps& maps) const {
    return measurePixelMap(*m_of.model.engine, *m_of.quantized, *m_of.data, m_layer, m_kind,
                           static_cast<std::size_t>(maps.sample),
                           static_cast<std::size_t>(maps.channel), m_memory, m_job);
  }

 private:
  const AnalysisSnapshot& m_of;
  std::size_t m_layer;
  MapKind m_kind;
  AnalysisMemory& m_memory;
  JobContext& m_job;
};

// `other`: B; null where it is not asked for.
LayerMapsPtr measure(const AnalysisSnapshot& shown, const AnalysisSnapshot* other,
                     const LayerMapRequest& asked, AnalysisMemory& memory, JobContext& job) {
  auto maps = std::make_shared<LayerMaps>();
  maps->of = shown.result;
  maps->asked = asked;
  const Measured own(shown, asked.layer, asked.kind, memory, job);
  maps->own.channels = own.channels();
  std::optional<Measured> beside;
  if (other != nullptr) {
    const LayerIndex layers(*other->result);
    const auto layer = layers.find(shown.result->layers[asked.layer].node);
    if (layer) beside.emplace(*other, *layer, asked.kind, memory, job);
  }
  if (beside) maps->other.channels = beside->channels();
  choosePlace(*maps);
  if (maps->channel < 0) return maps;
  maps->own.pixels = own.pixels(*maps);
  const Figure figure = maps->figureAt(static_cast<std::size_t>(maps->channel),
                                       static_cast<std::size_t>(maps->sample));
  if (beside && figure.kind == Figure::Kind::Value) maps->other.pixels = beside->pixels(*maps);
  return maps;
}

}  // namespace

MapsController::MapsController(Session& session, const Comparison& comparison, HeatmapView& view,
                               QObject* parent)
    : QObject(parent),
      m_session(session),
      m_comparison(comparison),
      m_view(view),
      m_probe(session, "maps", [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  m_probe.setFailureSink([this](const QString& words) { fail(words); });
  connect(&view, &HeatmapView::mapsWanted, &m_probe, &IdleProbe::restart);
}

IdleProbe::Work MapsController::prepare(const SnapshotPtr& shown) {
  const auto asked = m_view.mapsAsked();
  if (!asked) return nullptr;
  const SnapshotPtr other = asked->against ? m_comparison.snapshot() : nullptr;
  // B has changed, and the view has not been told yet.
  if (asked->against && (!other || other->result != asked->against)) return nullptr;
  m_wanted.of = shown->result;
  m_wanted.asked = *asked;
  return [this, shown, other, asked, &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    const LayerMapsPtr maps = measure(*shown, other.get(), *asked, memory, job);
    tell([this, maps] { m_view.setMaps(maps); });
  };
}

// The view says so until something else is asked for.
void MapsController::fail(const QString& words) {
  auto maps = std::make_shared<LayerMaps>(m_wanted);
  maps->failure = words;
  m_view.setMaps(maps);
}

}  // namespace quantscope
