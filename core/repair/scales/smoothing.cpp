#include "repair/scales/smoothing.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/number_text.h"
#include "base/workers.h"
#include "engine/fake_quantize_tensor.h"
#include "repair/rounding/layer_sample.h"
#include "repair/scales/inserted_scales.h"
#include "repair/scales/scaled_layers.h"

namespace quantscope {
namespace {

constexpr std::size_t kColumns = 256;
constexpr int kSteps = 20;
constexpr double kLeastFactor = 1e-4;
// Minimum share of its error that a site has to gain: less is noise of the few columns.
constexpr double kLeastGain = 0.03;
// The same where an operator is inserted for it, which costs time wherever the network runs.
constexpr double kLeastGainOfMul = 0.2;

constexpr const char* kNoFactors = "no factors leave less error in the layers behind them";

enum class Activations { Rounded, Float };

struct SmoothingWay {
  bool constantsOnly = false;  // regions that layers make stay
  bool inserts = false;        // a Mul where nothing takes the factors in
};

/// A layer that reads a region, with what it sees there.
struct SiteReader {
  const ScaleRegion::Reader* place;
  const LinearLayer* layer;
  const QuantParams* weightParams;
  std::optional<QuantParams> input;  // none: it stays float
  const Observation* seen;           // of its input
  Tensor weight;
  LayerSample sample;
  std::vector<float> wanted;  // products in float

  std::size_t channels() const { return place->channels.size(); }
  /// The region's channel of input k of a group.
  std::size_t channelOf(std::size_t group, std::size_t k) const {
    const std::size_t perChannel = layer->inputs * layer->groups / channels();
    return place->channels[(group * layer->inputs + k) / perChannel];
  }
};

using Factors = std::vector<double>;

/// The factors of one region.
class SiteSearch {
 public:
  SiteSearch(std::size_t channels, std::vector<SiteReader> readers)
      : m_channels(channels), m_readers(std::move(readers)) {
    for (SiteReader& reader : m_readers) {
      reader.wanted = layerProducts(*reader.layer, reader.sample.twin, reader.sample.columns,
                                    reader.weight.values<float>().data());
    }
  }

  /// The best of `candidates`; empty where none takes that share of the error that is left without.
  Factors best(const std::vector<Factors>& candidates, double leastGain,
               const JobContext& job) const {
    std::vector<double> losses(candidates.size() + 1);
    job.workers().forEach(losses.size(), [&](std::size_t i) {
      job.throwIfCancelled();
      losses[i] = lossOf(i == 0 ? Factors(m_channels, 1.0) : candidates[i - 1]);
    });
    const auto least = std::ranges::min_element(losses);
    if (!(*least < (1 - leastGain) * losses.front())) return {};
    return candidates[static_cast<std::size_t>(least - losses.begin()) - 1];
  }

  /// By channel: the largest observed magnitude of its values.
  Factors largestValues() const {
    Factors largest(m_channels, 0.0);
    for (const SiteReader& reader : m_readers) {
      for (std::size_t i = 0; i < reader.channels(); ++i) {
        const Range& range = reader.seen->channels[i];
        if (range.empty) continue;
        double& most = largest[reader.place->channels[i]];
        most = std::max<double>({most, std::abs(range.low), std::abs(range.high)});
      }
    }
    return largest;
  }

  Factors meanValues() const {
    Factors sums(m_channels, 0.0);
    Factors counts(m_channels, 0.0);
    for (const SiteReader& reader : m_readers) {
      forEachInput(reader, [&](std::size_t element, std::size_t channel) {
        sums[channel] += std::abs(reader.sample.twin[element]);
        ++counts[channel];
      });
    }
    for (std::size_t c = 0; c < m_channels; ++c) {
      if (counts[c] > 0) sums[c] /= counts[c];
    }
    return sums;
  }

  Factors largestWeights() const {
    Factors largest(m_channels, 0.0);
    for (const SiteReader& reader : m_readers) {
      for (std::size_t i = 0; i < reader.channels(); ++i) {
        double& most = largest[reader.place->channels[i]];
        forReading(*reader.layer, reader.channels(), i, [&](std::size_t, std::size_t element) {
          most = std::max<double>(most, std::abs(reader.weight.values<float>()[element]));
        });
      }
    }
    return largest;
  }

 private:
  template <class Visit>
  static void forEachInput(const SiteReader& reader, const Visit& visit) {
    const LinearLayer& layer = *reader.layer;
    std::size_t element = 0;
    for (std::size_t group = 0; group < layer.groups; ++group) {
      for (std::size_t column = 0; column < reader.sample.columns; ++column) {
        for (std::size_t k = 0; k < layer.inputs; ++k) {
          visit(element++, reader.channelOf(group, k));
        }
      }
    }
  }

  double lossOf(const Factors& factors) const {
    double loss = 0;
    for (const SiteReader& reader : m_readers) {
      const Tensor weight = roundedWeight(reader, factors);
      const std::vector<float> inputs = roundedInputs(reader, factors);
      const std::vector<float> found = layerProducts(*reader.layer, inputs, reader.sample.columns,
                                                     weight.values<float>().data());
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double error = double{found[i]} - reader.wanted[i];
        loss += error * error;
      }
    }
    return loss;
  }

  static Tensor roundedWeight(const SiteReader& reader, const Factors& factors) {
    Tensor weight(ElementType::Float32, reader.weight.shape());
    std::ranges::copy(reader.weight.values<float>(), weight.mutableValues<float>().begin());
    const std::span<float> elements = weight.mutableValues<float>();
    for (std::size_t i = 0; i < reader.channels(); ++i) {
      const double factor = factors[reader.place->channels[i]];
      forReading(*reader.layer, reader.channels(), i, [&](std::size_t, std::size_t element) {
        elements[element] = static_cast<float>(elements[element] * factor);
      });
    }
    const QuantParams params = fittedTo(*reader.weightParams, weight);
    return fakeQuantize(std::move(weight), params);
  }

  static std::vector<float> roundedInputs(const SiteReader& reader, const Factors& factors) {
    std::vector<float> inputs = reader.sample.twin;
    forEachInput(reader, [&](std::size_t element, std::size_t channel) {
      inputs[element] = static_cast<float>(inputs[element] / factors[channel]);
    });
    if (!reader.input) return inputs;
    Range all;
    for (std::size_t i = 0; i < reader.channels(); ++i) {
      const Range& range = reader.seen->channels[i];
      if (range.empty) continue;
      const double factor = factors[reader.place->channels[i]];
      all.include(static_cast<float>(range.low / factor));
      all.include(static_cast<float>(range.high / factor));
    }
    if (all.empty) return inputs;
    QuantParams params = *reader.input;
    params.dynamic = false;
    params.grids = {gridFromRange(all, params)};
    Tensor tensor(ElementType::Float32, Shape{static_cast<std::int64_t>(inputs.size())});
    std::ranges::copy(inputs, tensor.mutableValues<float>().begin());
    const Tensor rounded = fakeQuantize(std::move(tensor), params);
    std::ranges::copy(rounded.values<float>(), inputs.begin());
    return inputs;
  }

  std::size_t m_channels;
  std::vector<SiteReader> m_readers;
};

// What something else reads too stays.
void keepFixed(const std::vector<bool>& fixed, Factors& factors) {
  for (std::size_t c = 0; c < factors.size(); ++c) {
    if (fixed[c]) factors[c] = 1;
  }
}

void limit(Factors& factors) {
  for (double& factor : factors) {
    factor = factor > 0 ? std::clamp(factor, kLeastFactor, 1 / kLeastFactor) : 1;
  }
}

// All of them times a number change no code: their geometric mean is 1, or that of the fixed ones.
void centre(const std::vector<bool>& fixed, Factors& factors) {
  const bool anyFixed = std::ranges::any_of(fixed, std::identity());
  double sum = 0;
  double count = 0;
  for (std::size_t c = 0; c < factors.size(); ++c) {
    if (anyFixed && !fixed[c]) continue;
    sum += std::log(factors[c]);
    ++count;
  }
  const double mean = std::exp(sum / count);
  for (double& factor : factors) factor /= mean;
}

std::vector<Factors> smoothQuantFactors(const SiteSearch& site, const std::vector<bool>& fixed) {
  const Factors values = site.largestValues();
  const Factors weights = site.largestWeights();
  std::vector<Factors> candidates;
  for (int step = 0; step <= kSteps; ++step) {
    const double alpha = static_cast<double>(step) / kSteps;
    Factors factors(values.size(), 1.0);
    for (std::size_t c = 0; c < factors.size(); ++c) {
      if (!(values[c] > 0) || !(weights[c] > 0)) continue;
      factors[c] = std::pow(values[c], alpha) / std::pow(weights[c], 1 - alpha);
    }
    limit(factors);
    centre(fixed, factors);
    candidates.push_back(std::move(factors));
  }
  return candidates;
}

std::vector<Factors> weightOnlyFactors(const SiteSearch& site) {
  const Factors means = site.meanValues();
  std::vector<Factors> candidates;
  for (int step = 1; step < kSteps; ++step) {
    const double power = static_cast<double>(step) / kSteps;
    // Weights that read larger values get larger, and so a smaller share of the error.
    Factors factors(means.size(), 1.0);
    for (std::size_t c = 0; c < factors.size(); ++c) {
      factors[c] = std::max(std::pow(means[c], power), kLeastFactor);
    }
    const auto [least, most] = std::ranges::minmax(factors);
    for (double& factor : factors) factor /= std::sqrt(least * most);
    limit(factors);
    candidates.push_back(std::move(factors));
  }
  return candidates;
}

bool scalesByChannel(const QuantizedModel& model, const LinearLayer& layer) {
  const QuantParams& params = weightParamsOf(model, layer);
  int axis = layer.inputsFirst ? 1 : 0;
  if (layer.transposed && layer.outputsPerGroup() > 1) {
    if (layer.groups > 1) return false;
    axis = 1;
  }
  return params.perChannel() && params.groupSize == 0 && params.axis == axis;
}

bool fits(const RepairState& state, const std::vector<LinearLayer>& layers,
          const ScaleRegion& region, Activations activations) {
  if (!region.clips.empty() || region.readers.empty()) return false;
  const auto isMaker = [&](const ScaleRegion::Maker& maker) {
    return scalesByChannel(*state.model, layers[maker.layer]) || activations == Activations::Float;
  };
  if (!std::ranges::all_of(region.makers, isMaker)) return false;
  return std::ranges::all_of(region.readers, [&](const ScaleRegion::Reader& reader) {
    const LinearLayer& layer = layers[reader.layer];
    const LayerQuantization& quantized = state.model->layers[layer.index];
    const Observation* seen = state.observations->find(layer.data);
    const bool rounded = quantized.activation.has_value();
    return rounded == (activations == Activations::Rounded) &&
           (!rounded || !quantized.activation->perChannel()) &&
           !isSignCode(weightParamsOf(*state.model, layer).type) && seen != nullptr &&
           seen->channels.size() == reader.channels.size();
  });
}

/// All regions that fit, each with factors of its own.
class Smoothing {
 public:
  Smoothing(const RepairState& state, const LinearLayers& layers, RepairTools& tools,
            Activations activations, SmoothingWay way)
      : m_state(state),
        m_layers(layers.layers),
        m_tools(tools),
        m_activations(activations),
        m_way(way),
        m_scaled(*state.engine, layers.layers) {
    ScaleRegions found = findScaleRegions(*state.engine, *state.model, layers);
    m_regions = std::move(found.regions);
    m_refused = std::move(found.refused);
    m_cut = std::move(found.cut);
    std::erase_if(m_regions, [&](const ScaleRegion& region) {
      return !fits(state, m_layers, region, activations) ||
             (way.constantsOnly && !region.makers.empty());
    });
    m_absorbing = m_regions.size();
    if (way.inserts) addSitesOfMuls(layers);
  }

  bool legal() const { return m_regions.size() > (m_way.inserts ? m_absorbing : 0); }

  RepairProposal notLegalWith(const char* inputs) const {
    if (!m_regions.empty()) return notLegal(std::string(kNoFactors) + m_noMul);
    return notLegal(std::string("no layers with ") + inputs +
                    " inputs read channels that what makes them could scale" +
                    (m_cut.empty() ? "" : ": " + m_cut) + m_noMul);
  }

  RepairProposal run() {
    sampleReaders();
    m_tools.job.beginStage("Scaling channels", m_regions.size());
    std::size_t sites = 0;
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
      const SiteSearch site(m_regions[i].channels, readersOf(m_regions[i]));
      std::vector<Factors> candidates = m_activations == Activations::Rounded
                                            ? smoothQuantFactors(site, m_regions[i].fixed)
                                            : weightOnlyFactors(site);
      for (Factors& each : candidates) keepFixed(m_regions[i].fixed, each);
      const bool absorbed = i < m_absorbing;
      const Factors factors =
          site.best(candidates, absorbed ? kLeastGain : kLeastGainOfMul, m_tools.job);
      m_tools.job.advance(i + 1);
      if (factors.empty()) continue;
      m_scaled.scale(m_regions[i], factors);
      ++sites;
      if (!absorbed) insert(m_regions[i], factors);
    }
    RepairProposal proposal;
    proposal.refused = m_refused;
    if (sites == 0 || (m_way.inserts && m_behindMuls == 0)) {
      proposal.reason = kNoFactors;
      return proposal;
    }
    proposal.effect = OverlayEffect::SameOutputs;
    proposal.overlay = m_scaled.overlay();
    proposal.overlay.inserted = m_muls.inserted;
    proposal.overlay.forgotten = m_muls.forgotten;
    proposal.inserted = m_muls.inserted.size();
    proposal.nodes = changedNodes(proposal.overlay);
    proposal.what = counted(sites, "site");
    if (m_behindMuls > 0) {
      proposal.what += ", " + std::to_string(proposal.inserted) + " with a Mul in front of " +
                       counted(m_behindMuls, "layer");
    }
    return proposal;
  }

 private:
  // Of layers that read none of the regions so far.
  void addSitesOfMuls(const LinearLayers& layers) {
    std::vector<bool> scaled(m_layers.size(), false);
    for (const ScaleRegion& region : m_regions) {
      for (const ScaleRegion::Reader& reader : region.readers) scaled[reader.layer] = true;
    }
    InsertedScales found = findInsertedScales(m_state, layers, scaled);
    for (ScaleRegion& site : found.sites) {
      if (fits(m_state, m_layers, site, m_activations)) m_regions.push_back(std::move(site));
    }
    if (!found.refused.empty()) {
      m_noMul = "; a Mul in front of '" + found.refused.front().node +
                "' would not help: " + found.refused.front().reason;
    }
    for (const RefusedLayer& each : found.refused) {
      const std::string reason = "a Mul in front of it would not help: " + each.reason;
      const auto known = std::ranges::find(m_refused, each.node, &RefusedLayer::node);
      if (known != m_refused.end()) {
        known->reason += "; " + reason;
      } else {
        m_refused.push_back({each.node, reason});
      }
    }
  }

  void insert(const ScaleRegion& site, const Factors& factors) {
    insertMul(m_state, m_layers, site, factors, m_muls);
    m_behindMuls += site.readers.size();
  }

  void sampleReaders() {
    m_samples.resize(m_layers.size());
    std::vector<bool> wanted(m_layers.size(), false);
    for (const ScaleRegion& region : m_regions) {
      for (const ScaleRegion::Reader& reader : region.readers) wanted[reader.layer] = true;
    }
    LayerPass pass(m_state, m_layers, m_tools);
    m_tools.job.beginStage("Reading what layers see", pass.order().size());
    for (const std::size_t index : pass.order()) {
      if (!wanted[index]) continue;
      pass.advanceTo(m_layers[index]);
      m_samples[index] =
          sampleColumns(pass, *m_state.engine, m_layers[index], kColumns, m_tools.job);
      m_samples[index].quantized = {};
    }
  }

  std::vector<SiteReader> readersOf(const ScaleRegion& region) {
    std::vector<SiteReader> readers;
    for (const ScaleRegion::Reader& place : region.readers) {
      const LinearLayer& layer = m_layers[place.layer];
      // A layer reads one region, so its sample is not used again afterwards.
      readers.push_back({&place,
                         &layer,
                         &weightParamsOf(*m_state.model, layer),
                         m_state.model->layers[layer.index].activation,
                         m_state.observations->find(layer.data),
                         weightOf(*m_state.engine, layer),
                         std::move(m_samples[place.layer]),
                         {}});
    }
    return readers;
  }

  const RepairState& m_state;
  const std::vector<LinearLayer>& m_layers;
  RepairTools& m_tools;
  Activations m_activations;
  SmoothingWay m_way;
  ScaledLayers m_scaled;
  std::vector<ScaleRegion> m_regions;
  std::size_t m_absorbing = 0;   // of the regions: the first ones, the others are sites of Muls
  Overlay m_muls;                // all that it holds
  std::size_t m_behindMuls = 0;  // layers
  std::string m_noMul;           // why one does not help
  std::vector<RefusedLayer> m_refused;
  std::string m_cut;
  std::vector<LayerSample> m_samples;  // by layer
};

}  // namespace

QuantParams fittedTo(const QuantParams& params, const Tensor& weight) {
  if (!hasScale(params.type)) return params;
  QuantParams fitted = params;
  const std::vector<std::uint32_t> grids = gridOfElements(params, weight.shape());
  std::vector<Range> ranges(params.grids.size());
  const std::span<const float> elements = weight.values<float>();
  for (std::size_t i = 0; i < elements.size(); ++i) ranges[grids[i]].include(elements[i]);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i].empty) fitted.grids[i] = gridFromRange(ranges[i], params);
  }
  return fitted;
}

RepairProposal proposeSmoothing(const RepairState& state, const LinearLayers& layers,
                                RepairTools& tools, std::size_t way) {
  Smoothing smoothing(state, layers, tools, Activations::Rounded, {way == 1, way == 2});
  if (!smoothing.legal()) return smoothing.notLegalWith("rounded");
  return smoothing.run();
}

RepairProposal proposeWeightOnlyScales(const RepairState& state, const LinearLayers& layers,
                                       RepairTools& tools, std::size_t /*way*/) {
  Smoothing smoothing(state, layers, tools, Activations::Float, {});
  if (!smoothing.legal()) return smoothing.notLegalWith("float");
  return smoothing.run();
}

}  // namespace quantscope
