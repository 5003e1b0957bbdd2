#include "maps_controller.h"

#include <cmath>

#include "widgets/heatmap/heatmap_view.h"

namespace quantscope {
namespace {

// True if `index` is the chosen one. True for any index if nothing valid is chosen.
bool fits(int chosen, std::size_t index, std::size_t count) {
  return chosen < 0 || static_cast<std::size_t>(chosen) >= count ||
         static_cast<std::size_t>(chosen) == index;
}

// Fills a missing choice with the place of the largest error.
void choosePlace(LayerMaps& maps) {
  const ChannelMap& map = maps.channels;
  double worst = INFINITY;
  for (std::size_t channel = 0; channel < map.channels; ++channel) {
    if (!fits(maps.asked.channel, channel, map.channels)) continue;
    for (std::size_t sample = 0; sample < map.samples; ++sample) {
      if (!fits(maps.asked.sample, sample, map.samples)) continue;
      const double sqnr = map.at(channel, sample);
      if (maps.channel >= 0 && !(sqnr < worst)) continue;
      maps.channel = static_cast<int>(channel);
      maps.sample = static_cast<int>(sample);
      worst = std::isnan(sqnr) ? INFINITY : sqnr;
    }
  }
}

LayerMapsPtr measure(const AnalysisSnapshot& shown, const LayerMapRequest& asked,
                     AnalysisMemory& memory, JobContext& job) {
  const Engine& engine = *shown.model.engine;
  auto maps = std::make_shared<LayerMaps>();
  maps->of = shown.result;
  maps->asked = asked;
  maps->channels = measureChannelMap(engine, *shown.quantized, *shown.data, asked.layer, asked.kind,
                                     memory, job);
  choosePlace(*maps);
  if (maps->channel >= 0) {
    maps->pixels = measurePixelMap(engine, *shown.quantized, *shown.data, asked.layer, asked.kind,
                                   static_cast<std::size_t>(maps->sample),
                                   static_cast<std::size_t>(maps->channel), memory, job);
  }
  return maps;
}

}  // namespace

MapsController::MapsController(Session& session, HeatmapView& view, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_view(view),
      m_probe(session, "maps", [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  connect(&view, &HeatmapView::mapsWanted, &m_probe, &IdleProbe::restart);
}

IdleProbe::Work MapsController::prepare(const SnapshotPtr& shown) {
  const auto asked = m_view.mapsAsked();
  if (!asked) return nullptr;
  return [this, shown, asked, &memory = m_session.queue()->memory()](JobContext& job,
                                                                     const IdleProbe::Tell& tell) {
    const LayerMapsPtr maps = measure(*shown, *asked, memory, job);
    tell([this, maps] { m_view.setMaps(maps); });
  };
}

}  // namespace quantscope
