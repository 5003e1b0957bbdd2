#include "search/widening.h"

#include <algorithm>
#include <map>
#include <string>

#include "analysis/errors/worst_output.h"
#include "quant/quant_type.h"

namespace quantscope {
namespace {

// Up to so many layers every count is measured.
constexpr std::size_t kFewLayers = 16;
constexpr double kStepRatio = 1.3;

struct Ranked {
  std::size_t layer = 0;
  double hurt = 0;  // the higher the sooner
};

// Priority of each node, highest first. Around the configuration, rows in the wider type measure
// the gain; around float they do not show the loss.
std::map<std::string, double> hurtByNode(const std::vector<SensitivityRow>& rows,
                                         SensitivityRequest::Around around, QuantType wider) {
  const bool configured = around == SensitivityRequest::Around::Configuration;
  const bool gains = configured && std::ranges::any_of(rows, [&](const SensitivityRow& row) {
                       return row.type == wider;
                     });
  std::map<std::string, double> hurt;
  for (const SensitivityRow& row : rows) {
    const std::optional<double> sqnrDb = worstOutputSqnr(row.outputs);
    const bool counts = gains ? row.type == wider : configured || row.type != wider;
    if (!sqnrDb || !counts) continue;
    const double own = gains ? *sqnrDb : -*sqnrDb;
    const auto [place, isNew] = hurt.emplace(row.node, own);
    if (!isNew) place->second = std::max(place->second, own);
  }
  // Layers that are only measured with others.
  std::map<std::string, double> together;
  for (const SensitivityRow& row : rows) {
    const auto known = hurt.find(row.node);
    if (known == hurt.end()) continue;
    for (const std::string& other : row.alsoInGroup) together.emplace(other, known->second);
  }
  for (const SensitivityRow& row : rows) together.erase(row.node);
  hurt.merge(together);
  return hurt;
}

}  // namespace

std::vector<std::size_t> wideningOrder(const std::vector<SensitivityRow>& rows,
                                       SensitivityRequest::Around around,
                                       const TypeChoices& choices, QuantType wider) {
  const std::map<std::string, double> hurt = hurtByNode(rows, around, wider);
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < choices.layerCount(); ++i) {
    const auto known = hurt.find(choices.name(i));
    const std::optional<QuantType> type = choices.typeOf(i);
    const bool narrower = type && isQuantized(*type) && bitWidth(*type) < bitWidth(wider);
    if (known == hurt.end() || !narrower || !choices.refusal(i, wider).empty()) continue;
    ranked.push_back({i, known->second});
  }
  std::ranges::stable_sort(ranked, std::ranges::greater(), &Ranked::hurt);
  std::vector<std::size_t> order;
  for (const Ranked& each : ranked) order.push_back(each.layer);
  return order;
}

std::vector<std::size_t> wideningSteps(std::size_t layers) {
  std::vector<std::size_t> steps{0};
  while (steps.back() < layers) {
    const std::size_t last = steps.back();
    const auto further = static_cast<std::size_t>(static_cast<double>(last) * kStepRatio);
    const std::size_t next = layers <= kFewLayers ? last + 1 : std::max(last + 1, further);
    steps.push_back(std::min(next, layers));
  }
  return steps;
}

WideningCurve merged(const WideningCurve& curve, const WideningCurve& more) {
  std::map<std::size_t, WideningPoint> points;
  for (const WideningCurve* each : {&curve, &more}) {
    for (const WideningPoint& point : *each) points[point.count] = point;
  }
  WideningCurve both;
  for (const auto& [count, point] : points) both.push_back(point);
  return both;
}

ConfigEdit wideningEdit(const TypeChoices& choices, const std::vector<std::size_t>& order,
                        std::size_t count, QuantType wider) {
  const std::vector<std::size_t> first(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size())));
  ConfigEdit edit = choices.setType(first, wider);
  if (first.size() > 1) {
    const std::string last = edit.sentence.substr(edit.sentence.rfind(" to "));
    edit.sentence = "set the " + std::to_string(first.size()) + " most sensitive layers" + last;
  }
  return edit;
}

WideningCurve measureWidening(const TypeChoices& choices, const std::vector<std::size_t>& order,
                              QuantType wider, const std::vector<std::size_t>& counts,
                              TrialRuns& runs, const WideningSink& publish) {
  WideningCurve curve;
  for (const std::size_t count : counts) {
    const Configuration config = wideningEdit(choices, order, count, wider).apply(choices.config());
    const std::shared_ptr<const QuantizedModel> model = runs.quantize(config);
    if (model == nullptr) continue;
    const std::string stage = std::to_string(count) + " layers wider";
    curve.push_back({count, runs.run(config, model, stage).point});
    if (publish) publish(curve);
  }
  return curve;
}

}  // namespace quantscope
