#include "analysis/sensitivity/sensitivity.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "analysis/cost/weight_cost.h"
#include "analysis/errors/computable_outputs.h"
#include "analysis/sensitivity/cone_share.h"
#include "base/error.h"
#include "base/workers.h"
#include "precision/config/layer_alone.h"
#include "precision/edits/voided_encodings.h"

namespace quantscope {
namespace {

// Between two reports of progress.
constexpr std::size_t kPreparedAtOnce = 64;

std::vector<ValueId> outputsOf(const Graph& graph) {
  return {graph.outputs().begin(), graph.outputs().end()};
}

// The precision of a layer in a type; a layer in float starts from the built-in precision.
NodePrecision chosen(const NodePrecision& from, QuantType type, PrecisionPart part) {
  return withOnly(withType(from.float32 ? defaultPrecision() : from, type), part);
}

// Nodes outside of a layer that a change of it touches.
std::vector<NodeId> othersOf(const FusedLayer& layer, const QuantizationChanges& changes) {
  std::vector<NodeId> others;
  for (const auto& [node, applied] : changes) {
    if (std::ranges::find(layer.members, node) == layer.members.end()) others.push_back(node);
  }
  return others;
}

bool hasPoints(const LayerQuantization& layer) {
  return !layer.edges.empty() || layer.outputPoint;
}

// For one sample; none where they were not counted.
std::optional<double> macsOf(const Observations& observations, NodeId node) {
  if (observations.products().empty() || observations.samples() == 0) return std::nullopt;
  return observations.productsOf(node) / static_cast<double>(observations.samples());
}

}  // namespace

/// Of the model of an item what is needed later: there are hundreds of them.
struct Sensitivity::Variant {
  AppliedQuantization applied;
  std::optional<LayerQuantization> layer;  ///< the item's; none where it was refused
  QuantizationChanges changes;
  std::string refused;
};

/// Some items that can be measured.
struct Sensitivity::Prepared {
  std::vector<std::size_t> places;
  std::vector<Variant> variants;                  ///< by place
  std::vector<std::optional<LocalProbe>> probes;  ///< by place
  std::shared_ptr<const Sweep::Prepared> changes;

  /// Keys of all that is measured, without the feed.
  std::vector<ContentId> records() const {
    std::vector<ContentId> keys = Sweep::recordKeys(*changes);
    for (const std::optional<LocalProbe>& probe : probes) {
      if (probe) keys.push_back(probe->record);
    }
    return keys;
  }
};

Sensitivity::Sensitivity(const Engine& engine, const Configuration& config,
                         const Observations& observations, SensitivityRequest request,
                         SampleSet& samples, const Labels& labels, AnalysisMemory& memory,
                         JobContext& job)
    : m_engine(engine),
      m_config(config),
      m_observations(observations),
      m_request(std::move(request)),
      m_samples(samples),
      m_memory(memory),
      m_job(job),
      m_resolved(engine.graph(), *config.precision),
      m_whole(quantizeModel(engine, config, observations, memory.parameters, &job)),
      m_base(m_request.around == SensitivityRequest::Around::Float
                 ? quantizeModel(engine, inFloat(config), observations, memory.parameters, &job)
                 : m_whole),
      m_sweep(engine, *m_base, outputsOf(engine.graph()), samples, memory, job, labels) {
  findItems();
}

const std::string& Sensitivity::nodeOf(const SensitivityItem& item) const {
  return m_engine.graph()[m_whole->layers[item.layer].layer.lead()].name;
}

// Weights and layers in float stand on no grid. Around the configuration only points that it
// quantizes are joined, and those that the item adds.
JoinedByHand Sensitivity::joinedWith(const SensitivityItem& item) const {
  if (m_request.part == PrecisionPart::Weights || item.type == QuantType::Float32) return {};
  const NodeId lead = leadOf(item);
  const auto counts = [&](const LayerQuantization& layer) {
    const bool tried = layer.layer.lead() == lead;
    return m_request.around == SensitivityRequest::Around::Float || tried || hasPoints(layer);
  };
  return joinedByHand(m_engine.graph(), *m_whole, m_config.precision->groups.join, lead, counts);
}

Configuration Sensitivity::configurationOf(const SensitivityItem& item) const {
  const auto inType = [&](NodeId node) {
    return chosen(m_resolved[node], item.type, m_request.part);
  };
  const JoinedByHand joined = joinedWith(item);
  Configuration config = m_config;
  if (m_request.around == SensitivityRequest::Around::Float) {
    config = inFloat(m_config);
    config.precision.edit(
        [&](PrecisionConfig& precision) { precision.groups.join = joined.lists; });
  }
  // A pattern in float is float in all its nodes; without its lead they would be quantized.
  const std::vector<NodeId>& members = m_whole->layers[item.layer].layer.members;
  const bool wholePattern = item.type == QuantType::Float32;
  for (const NodeId member : std::span(members).first(wholePattern ? members.size() : 1)) {
    config = withNode(std::move(config), m_engine.graph()[member].name, inType(member));
  }
  for (const NodeId other : joined.others) {
    config = withNode(std::move(config), m_engine.graph()[other].name, inType(other));
  }
  if (config.encodings->empty()) return config;
  // A layer in another type leaves the encodings of the one that it had.
  return voidingEncodings(editBetween(m_config, config, {}), m_engine, m_config).apply(m_config);
}

// A layer can be tried in a type where the backend quantizes it with everything in that type.
// Layers that `groups` of the configuration joins are one item, that of the first one; one that
// the configuration leaves in float joins the others only while it is tried itself.
void Sensitivity::findItems() {
  std::map<std::size_t, std::vector<QuantType>> byLayer;
  for (const QuantType type : m_request.types) {
    bool any = false;
    std::vector<NodeId> measured;  // with a layer that they are joined with
    Configuration everywhere = inFloat(m_config);
    everywhere.precision.edit([&](PrecisionConfig& precision) {
      precision.defaults = chosen(
          defaultPrecision(), type == QuantType::Float32 ? QuantType::Int8 : type, m_request.part);
    });
    const std::shared_ptr<const QuantizedModel> model =
        quantizeModel(m_engine, everywhere, m_observations, m_memory.parameters, &m_job);
    for (std::size_t i = 0; i < m_whole->layers.size(); ++i) {
      const NodeId lead = m_whole->layers[i].layer.lead();
      const auto same = std::ranges::find_if(model->layers, [&](const LayerQuantization& layer) {
        return layer.layer.lead() == lead;
      });
      const bool named = !m_engine.graph()[lead].name.empty();
      if (same == model->layers.end() || !same->quantized || !named) continue;
      if (m_request.part == PrecisionPart::Weights && same->weights.empty()) continue;
      if (std::ranges::find(measured, lead) != measured.end()) continue;
      byLayer[i].push_back(type);
      any = true;
      const bool isJoined =
          m_request.around == SensitivityRequest::Around::Float || hasPoints(m_whole->layers[i]);
      if (isJoined) std::ranges::copy(joinedWith({i, type}).others, std::back_inserter(measured));
    }
    if (any) continue;
    throw Error(ErrorCode::UnsupportedType,
                "no layer of the model can be quantized to " + std::string(name(type)) + " with " +
                    m_config.precision->backend,
                {}, "leave the type out or choose another backend");
  }
  for (const auto& [layer, types] : byLayer) {
    for (const QuantType type : types) m_items.push_back({layer, type});
    m_plannedPasses += static_cast<double>(types.size()) *
                       shareBehind(m_engine.graph(), m_whole->layers[layer].layer.lead(),
                                   m_observations.products());
  }
}

// Side by side, each on one thread: a large graph is walked often, with few weights to round.
std::vector<Sensitivity::Variant> Sensitivity::variantsOf(
    std::span<const std::size_t> places) const {
  std::vector<Variant> variants(places.size());
  m_job.workers().forEach(places.size(), [&](std::size_t i) {
    m_job.throwIfCancelled();
    variants[i] = variantOf(m_items[places[i]]);
  });
  return variants;
}

Sensitivity::Variant Sensitivity::variantOf(const SensitivityItem& item) const {
  Variant variant;
  try {
    QuantizedVariant quantized =
        quantizeVariant(m_engine, configurationOf(item), m_observations, m_memory.parameters,
                        m_whole->layers[item.layer].layer.lead());
    variant.changes = changesBetween(m_base->applied, quantized.applied);
    variant.applied = std::move(quantized.applied);
    variant.layer = std::move(quantized.layer);
  } catch (const Error& error) {
    // For example a contradiction inside a group: this change is not possible alone.
    if (error.code() != ErrorCode::InvalidConfiguration) throw;
    variant.refused = error.what();
  }
  return variant;
}

std::vector<OutputResult> Sensitivity::baseline() {
  const std::vector<QuantizationChanges> nothing(1);
  return m_sweep.run(nothing, "Baseline").front();
}

SensitivityRow Sensitivity::startRow(const SensitivityItem& item, const Variant& variant) const {
  SensitivityRow row;
  row.node = nodeOf(item);
  row.type = item.type;
  row.refused = variant.refused;
  std::vector<NodeId> others;
  if (variant.layer) {
    row.weightBytes = weightCost(m_engine, *variant.layer).bytes;
    row.macs = macsOf(m_observations, variant.layer->layer.lead());
    others = othersOf(m_whole->layers[item.layer].layer, variant.changes);
  }
  // Also where the type changes nothing at all, or was refused.
  for (const NodeId node : joinedWith(item).others) {
    if (std::ranges::find(others, node) == others.end()) others.push_back(node);
  }
  for (const NodeId node : others) row.alsoInGroup.push_back(m_engine.graph()[node].name);
  return row;
}

std::string Sensitivity::whyNoEstimate() const {
  if (m_request.around != SensitivityRequest::Around::Float) {
    return "gradients estimate the sensitivity around the float network only";
  }
  if (!firstRealOutput(m_engine.graph()).valid()) {
    return "the network has no output of real numbers, so no gradient";
  }
  return {};
}

std::vector<SensitivityRow> Sensitivity::estimate(SampleSource& part,
                                                  std::span<const std::size_t> items,
                                                  const GradientEstimateSettings& settings) {
  const std::string whyNot = whyNoEstimate();
  if (!whyNot.empty()) {
    throw Error(ErrorCode::InvalidParameters, whyNot, {}, "measure the sensitivity instead");
  }
  m_job.beginStage("Preparing layers", items.size());
  std::vector<Variant> variants;
  while (variants.size() < items.size()) {
    const std::size_t count = std::min(kPreparedAtOnce, items.size() - variants.size());
    std::ranges::move(variantsOf(items.subspan(variants.size(), count)),
                      std::back_inserter(variants));
    m_job.advance(variants.size());
  }
  std::vector<SensitivityRow> rows;
  std::vector<LayerChange> changes;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < items.size(); ++i) {
    rows.push_back(startRow(m_items[items[i]], variants[i]));
    rows.back().estimated = true;
  }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Variant& variant = variants[i];
    if (!variant.layer) continue;
    places.push_back(i);
    changes.push_back(
        {&variant.layer->layer, &variant.applied, othersOf(variant.layer->layer, variant.changes)});
  }
  const std::vector<ValueId> outputs =
      estimableOutputs(m_engine, realOutputs(m_engine.graph()), changes);
  const std::vector<EstimatedError> estimates =
      estimateErrors(m_engine, outputs, changes, part, m_job, settings);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    SensitivityRow& row = rows[places[i]];
    row.localSqnrDb = estimates[i].localSqnrDb;
    row.refused = estimates[i].whyNot;
    for (std::size_t output = 0; output < outputs.size(); ++output) {
      OutputResult result;
      result.value = m_engine.graph()[outputs[output]].name;
      result.error.sqnrDb = estimates[i].sqnrDb[output];
      result.error.count = result.error.sqnrDb ? 1 : 0;
      row.outputs.push_back(std::move(result));
    }
  }
  return rows;
}

std::vector<std::optional<LocalProbe>> Sensitivity::probesOf(
    std::span<const Variant> variants) const {
  std::vector<std::optional<LocalProbe>> probes(variants.size());
  const std::vector<ChannelAxis> channelAxes = findChannelAxes(m_engine.graph());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!variants[i].layer) continue;
    probes[i] = probeOf(m_sweep.evaluator(), m_sweep.referenceKeys(), channelAxes,
                        *variants[i].layer, variants[i].applied);
  }
  return probes;
}

// Several parts of the samples are measured for the same items.
const Sensitivity::Prepared& Sensitivity::prepare(std::span<const std::size_t> places) {
  if (m_prepared != nullptr && std::ranges::equal(m_prepared->places, places)) return *m_prepared;
  auto prepared = std::make_shared<Prepared>();
  prepared->places.assign(places.begin(), places.end());
  prepared->variants = variantsOf(places);
  prepared->probes = probesOf(prepared->variants);
  std::vector<QuantizationChanges> changes;
  for (const Variant& variant : prepared->variants) changes.push_back(variant.changes);
  prepared->changes = m_sweep.prepare(changes, prepared->probes);
  m_prepared = std::move(prepared);
  return *m_prepared;
}

// Most of what is asked for lies on the way of the sweep's runs.
std::vector<std::optional<double>> Sensitivity::localErrors(const Prepared& prepared,
                                                            SampleSource& samples) {
  return localSqnrDb(m_sweep.evaluator(), m_sweep.referenceKeys(), prepared.probes, samples,
                     m_memory, m_job);
}

std::vector<SensitivityRow> Sensitivity::run(std::span<const std::size_t> items,
                                             const std::string& stage) {
  const Prepared& prepared = prepare(items);
  std::vector<std::vector<OutputResult>> outputs = m_sweep.run(*prepared.changes, stage);
  const std::vector<std::optional<double>> local = localErrors(prepared, m_samples);
  std::vector<SensitivityRow> rows;
  for (std::size_t i = 0; i < items.size(); ++i) {
    SensitivityRow row = startRow(m_items[items[i]], prepared.variants[i]);
    if (row.refused.empty()) row.outputs = std::move(outputs[i]);
    row.localSqnrDb = local[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<FeedErrors> Sensitivity::errorsOn(SampleSource& part,
                                              std::span<const std::size_t> items,
                                              const std::string& stage) {
  const Prepared& prepared = prepare(items);
  m_sweep.run(*prepared.changes, stage, &part);
  localErrors(prepared, part);
  const std::vector<ContentId> records = prepared.records();
  std::vector<FeedErrors> errors(part.feedCount());
  for (std::size_t feed = 0; feed < errors.size(); ++feed) {
    const ContentId content = part.read(feed).content;
    for (const ContentId record : records) {
      const ContentId key = combined({content, record});
      if (auto known = m_memory.errors.findAny(key)) {
        errors[feed].emplace_back(key, *std::move(known));
      }
    }
  }
  return errors;
}

std::vector<std::optional<double>> Sensitivity::firstOutputOn(SampleSource& part,
                                                              std::span<const std::size_t> items,
                                                              const std::string& stage) {
  const Prepared& prepared = prepare(items);
  const std::vector<std::vector<OutputResult>> results =
      m_sweep.run(*prepared.changes, stage, &part);
  std::vector<std::optional<double>> sqnrDb(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!prepared.variants[i].refused.empty()) continue;
    const auto first = std::ranges::find_if(
        results[i], [](const OutputResult& output) { return output.error.count > 0; });
    if (first != results[i].end()) sqnrDb[i] = first->error.sqnrDb;
  }
  return sqnrDb;
}

}  // namespace quantscope
