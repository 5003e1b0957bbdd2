#include "export/worst_layers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number_text.h"
#include "export/layer_words.h"
#include "export/pictures/colour_map.h"
#include "export/pictures/heat_table.h"
#include "export/pictures/histogram_svg.h"
#include "export/report/html_text.h"

namespace quantscope {
namespace {

constexpr std::size_t kCards = 12;    // per list
constexpr std::size_t kChannels = 6;  // per card

using ErrorMember = std::optional<LayerError> LayerResult::*;

bool hasError(const LayerResult& layer, ErrorMember error) {
  const std::optional<LayerError>& entry = layer.*error;
  if (layer.dataMover || !entry || !entry->total.sqnrDb) return false;
  const double sqnrDb = *entry->total.sqnrDb;
  return !std::isnan(sqnrDb) && sqnrDb < std::numeric_limits<double>::infinity();
}

struct Ranks {
  std::string local;
  std::string accumulated;
};

// Layers of either list, in the order of their local rank, then of the accumulated one.
std::vector<std::pair<std::size_t, Ranks>> ranked(const AnalysisResult& result) {
  std::map<std::size_t, Ranks> ranks;
  std::vector<std::size_t> order;
  const auto add = [&](ErrorMember error, std::string Ranks::*member) {
    std::size_t rank = 0;
    for (const std::size_t layer : worstLayers(result, error, kCards)) {
      const auto [entry, isNew] = ranks.try_emplace(layer);
      if (isNew) order.push_back(layer);
      entry->second.*member = std::to_string(++rank);
    }
  };
  add(&LayerResult::local, &Ranks::local);
  add(&LayerResult::accumulated, &Ranks::accumulated);
  std::vector<std::pair<std::size_t, Ranks>> list;
  for (const std::size_t layer : order) list.emplace_back(layer, ranks[layer]);
  return list;
}

std::string chip(double sqnrDb) {
  const Colour colour = errorColour(sqnrDb);
  std::string html = "<span class=\"chip\" style=\"background:" + hexText(colour);
  html += ";color:" + hexText(textColourOn(colour)) + "\" title=\"" + exactNumber(sqnrDb);
  return html + " dB\">" + shortNumber(sqnrDb) + " dB</span>";
}

std::vector<std::pair<double, std::size_t>> worstChannels(const LayerError& error) {
  std::vector<std::pair<double, std::size_t>> channels;
  for (std::size_t i = 0; i < error.channelSqnrDb.size(); ++i) {
    if (!std::isnan(error.channelSqnrDb[i])) channels.emplace_back(error.channelSqnrDb[i], i);
  }
  std::ranges::sort(channels);
  channels.resize(std::min(channels.size(), kChannels));
  return channels;
}

std::string channelList(const LayerResult& layer) {
  if (!layer.local) return {};
  const auto channels = worstChannels(*layer.local);
  if (channels.empty()) return {};
  std::string html = "<p class=\"channels\"><span class=\"label\">Worst of " +
                     grouped(layer.local->channelSqnrDb.size()) + " channels (local)</span>";
  for (const auto& [sqnrDb, channel] : channels) {
    html += "<span class=\"channel\">#" + std::to_string(channel) + " " + chip(sqnrDb) + "</span>";
  }
  return html + "</p>";
}

std::string typeLine(const LayerResult& layer) {
  std::string words = layerOps(layer);
  if (layer.weight) words += " · weights " + typeWords(layer.weight);
  if (layer.activation) words += " · activations " + typeWords(layer.activation);
  return words;
}

std::string card(const AnalysisResult& result, std::size_t index, const Ranks& ranks,
                 std::size_t maxName) {
  const LayerResult& layer = result.layers[index];
  std::string html = "<article class=\"card\" data-layer=\"" + std::to_string(index);
  html += "\" data-local=\"" + ranks.local + "\" data-accumulated=\"" + ranks.accumulated + "\">";
  html += "<h3><span class=\"rank\"></span>" + layerLink(result, index, maxName) + "</h3>";
  html += "<p class=\"quiet\">" + escapeHtml(shortened(typeLine(layer), maxName)) + "</p>";
  html += "<p class=\"figures\"><span class=\"label\">local</span>" + sqnrChip(layer.local);
  html += "<span class=\"label\">accumulated</span>" + sqnrChip(layer.accumulated) + "</p>";
  html += histogramSvg(layer);
  html += "<p class=\"quiet\">" + escapeHtml(clippingWords(layer)) + "</p>";
  return html + channelList(layer) + "</article>\n";
}

}  // namespace

std::vector<std::size_t> worstLayers(const AnalysisResult& result, ErrorMember error,
                                     std::size_t count) {
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    if (hasError(result.layers[i], error)) layers.push_back(i);
  }
  std::ranges::stable_sort(layers, {},
                           [&](std::size_t i) { return *(result.layers[i].*error)->total.sqnrDb; });
  layers.resize(std::min(layers.size(), count));
  return layers;
}

std::string worstLayerCards(const AnalysisResult& result, std::size_t maxName) {
  std::string html;
  for (const auto& [layer, ranks] : ranked(result)) html += card(result, layer, ranks, maxName);
  return html;
}

std::string sqnrChip(const std::optional<LayerError>& error) {
  if (!error || !error->total.sqnrDb) return "<span class=\"chip none\">–</span>";
  return chip(*error->total.sqnrDb);
}

std::string layerLink(const AnalysisResult& result, std::size_t layer, std::size_t maxName) {
  std::string html = "<button type=\"button\" class=\"link\" data-select=\"";
  html += std::to_string(layer) + "\">";
  return html + escapeHtml(shortened(result.layers[layer].name, maxName)) + "</button>";
}

}  // namespace quantscope
