#include "analysis/errors/error_maps.h"

#include <algorithm>
#include <limits>
#include <string>

#include "analysis/errors/error_metrics.h"
#include "analysis/layer_run.h"
#include "analysis/twin_run.h"
#include "base/error.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TwinSetup setupOf(const Evaluator& evaluator, const QuantizedModel& model) {
  return {evaluator, model, std::vector<std::optional<Range>>(model.layers.size())};
}

std::shared_ptr<const ErrorRecord> recordOf(const TwinSetup& setup, const Feed& feed,
                                            std::size_t layer, MapKind kind, ErrorStore& errors,
                                            const JobContext& job) {
  MeasureScope scope{.layers = kind == MapKind::Accumulated, .outputs = false, .localOf = {}};
  if (kind == MapKind::Local) scope.localOf.push_back(layer);
  const FeedRecords records = measureFeed(setup, feed, scope, errors, job);
  return kind == MapKind::Local ? records.layers[layer].local : records.layers[layer].accumulated;
}

/// Both values of a layer's output, plain float32.
struct Twins {
  Tensor expected;
  Tensor actual;
};

class TwinValues {
 public:
  TwinValues(const TwinSetup& setup, const Feed& feed, const JobContext& job)
      : m_setup(setup), m_feed(feed), m_sample{feed.content, feed.inputs, feed.batch}, m_job(job) {}

  Twins of(std::size_t layer, MapKind kind) const {
    const LayerMeasures& measures = m_setup.layers[layer];
    std::vector<ValueId> wanted{measures.output};
    if (kind == MapKind::Local) {
      wanted.insert(wanted.end(), measures.inputs.begin(), measures.inputs.end());
    }
    Evaluation reference(m_setup.evaluator, m_sample, m_setup.referenceKeys, nullptr, wanted,
                         Evaluation::Keep::InCache);
    reference.run(m_job);
    const Tensor expected = tensorOf(reference.find(measures.output), Layout::Plain);
    if (kind == MapKind::Local) return {expected, ownOutput(layer, reference)};
    Evaluation quantized(m_setup.evaluator, m_sample, m_setup.quantizedKeys, &m_setup.model.applied,
                         std::vector{measures.output}, Evaluation::Keep::InCache);
    quantized.run(m_job);
    return {expected, tensorOf(quantized.find(measures.output), Layout::Plain)};
  }

 private:
  Tensor ownOutput(std::size_t layer, const Evaluation& reference) const {
    const FusedLayer& fused = m_setup.model.layers[layer].layer;
    return runLayer(m_setup.engine(), fused, quantizationOf(fused, m_setup.model.applied),
                    m_feed.batch, [&](NodeId node, std::size_t input, Layout preferred) {
                      return tensorOf(reference.find(m_setup.graph()[node].inputs[input]),
                                      preferred);
                    });
  }

  const TwinSetup& m_setup;
  const Feed& m_feed;
  SampleInputs m_sample;
  const JobContext& m_job;
};

[[noreturn]] void throwMissing(const char* what, std::size_t wanted, std::size_t count) {
  throw Error(ErrorCode::InvalidParameters,
              std::string("there is no ") + what + " " + std::to_string(wanted), {},
              "choose one from 0 to " + std::to_string(count - 1));
}

/// The place of the elements of one channel of one sample in memory.
struct Plane {
  std::size_t height = 1;
  std::size_t width = 1;
  std::vector<std::size_t> places;
};

Plane planeOf(const Shape& shape, ChannelAxis axis, const Feed& feed, std::size_t sample,
              std::size_t channel) {
  const std::size_t rank = shape.rank();
  const int channelAxis = axis.of(rank);
  const bool batched =
      feed.batch > 1 && rank > 0 && shape[0] == static_cast<std::int64_t>(feed.batch);
  const std::size_t channels =
      channelAxis < 0 ? 1 : static_cast<std::size_t>(shape[static_cast<std::size_t>(channelAxis)]);
  if (channel >= channels) throwMissing("channel", channel, channels);
  // The remaining axes: extent, and distance of neighbours.
  std::vector<std::pair<std::size_t, std::size_t>> axes;
  std::size_t stride = 1;
  std::size_t first = 0;
  for (std::size_t i = rank; i-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[i]);
    if (static_cast<int>(i) == channelAxis) {
      first += channel * stride;
    } else if (i == 0 && batched) {
      first += sample * stride;
    } else {
      axes.emplace_back(extent, stride);
    }
    stride *= extent;
  }
  Plane plane;
  plane.places.push_back(first);
  for (std::size_t i = axes.size(); i-- > 0;) {
    (i == 0 ? plane.width : plane.height) *= axes[i].first;
    std::vector<std::size_t> places;
    places.reserve(plane.places.size() * axes[i].first);
    for (const std::size_t place : plane.places) {
      for (std::size_t k = 0; k < axes[i].first; ++k) places.push_back(place + k * axes[i].second);
    }
    plane.places = std::move(places);
  }
  return plane;
}

std::vector<float> elementsAt(const Tensor& tensor, const std::vector<std::size_t>& places) {
  const Tensor floats = toFloat32(tensor);
  const std::span<const float> values = floats.values<float>();
  std::vector<float> elements;
  elements.reserve(places.size());
  for (const std::size_t place : places) elements.push_back(values[place]);
  return elements;
}

Feed feedWith(SampleSet& samples, std::size_t sample) {
  if (sample >= samples.sampleCount()) throwMissing("sample", sample, samples.sampleCount());
  Feed feed = samples.read(0);
  if (sample < feed.samples) return feed;
  return samples.read(sample / feed.samples);  // all but the last hold as many
}

}  // namespace

ChannelMap measureChannelMap(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
                             std::size_t layer, MapKind kind, AnalysisMemory& memory,
                             JobContext& job) {
  const Evaluator evaluator(engine, memory.activations);
  const TwinSetup setup = setupOf(evaluator, model);
  std::vector<ChannelSums> all;
  job.beginStage("Error map", samples.sampleCount(), "samples");
  forEachFeed(
      samples, job,
      [&](const Feed& feed) { return recordOf(setup, feed, layer, kind, memory.errors, job); },
      [&](const Feed& feed, const std::shared_ptr<const ErrorRecord>& record) {
        for (std::size_t i = 0; i < feed.samples; ++i) {
          all.push_back(record != nullptr && record->compared() ? record->samples[i]
                                                                : ChannelSums());
        }
      });
  ChannelMap map;
  for (const ChannelSums& sample : all) map.channels = std::max(map.channels, sample.size());
  if (map.channels == 0) return map;
  map.samples = all.size();
  map.sqnrDb.assign(map.channels * map.samples, kNothing);
  for (std::size_t i = 0; i < map.samples; ++i) {
    for (std::size_t c = 0; c < all[i].size(); ++c) {
      map.sqnrDb[c * map.samples + i] = sqnrDb(all[i][c]).value_or(kNothing);
    }
  }
  return map;
}

std::optional<PixelMap> measurePixelMap(const Engine& engine, const QuantizedModel& model,
                                        SampleSet& samples, std::size_t layer, MapKind kind,
                                        std::size_t sample, std::size_t channel,
                                        AnalysisMemory& memory, JobContext& job) {
  const Evaluator evaluator(engine, memory.activations);
  const TwinSetup setup = setupOf(evaluator, model);
  const LayerMeasures& measures = setup.layers[layer];
  const bool any = measures.output.valid() && !measures.inside &&
                   (kind == MapKind::Accumulated || measures.local);
  if (!any) return std::nullopt;
  const Feed feed = feedWith(samples, sample);
  Twins twins;
  job.workers().run([&] { twins = TwinValues(setup, feed, job).of(layer, kind); });
  if (!twins.expected.defined() || !isFloat(twins.expected.type())) return std::nullopt;
  twins.actual = toLayout(twins.actual, Layout::Plain);
  if (!twins.actual.defined() || twins.actual.shape() != twins.expected.shape()) {
    return std::nullopt;
  }
  const Plane plane = planeOf(twins.expected.shape(), setup.channelAxes[measures.output.at()], feed,
                              sample - feed.firstSample, channel);
  return PixelMap{plane.height, plane.width,
                  elementsAt(toLayout(twins.expected, Layout::Plain), plane.places),
                  elementsAt(twins.actual, plane.places)};
}

}  // namespace quantscope
