#include "analysis/sensitivity/local_probe.h"

#include <algorithm>
#include <iterator>

#include "analysis/errors/error_metrics.h"
#include "analysis/errors/tensor_errors.h"
#include "analysis/layer_run.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

using Powers = PowerRecord::Powers;

ContentId recordOf(ContentId expected, ContentId actual, ChannelAxis axis) {
  const auto channels = static_cast<std::uint64_t>(static_cast<std::int64_t>(axis.axis));
  const ContentId kind = ContentHasher().add("powers by channel").add(channels).id();
  return combined({kind, expected, actual});
}

// Channel by channel over the samples, and then over the channels: an analysis adds up in the same
// order, and both end in the same last digit.
void addTo(std::vector<Powers>& totals, const PowerRecord& record) {
  for (const std::vector<Powers>& sample : record.samples) {
    if (sample.size() > totals.size()) totals.resize(sample.size());
    for (std::size_t c = 0; c < sample.size(); ++c) totals[c].add(sample[c]);
  }
}

using Probes = std::span<const std::optional<LocalProbe>>;
using Records = std::vector<std::shared_ptr<const PowerRecord>>;  // by probe

/// The errors of probes on one feed: those of the memory, and the others by running the layers.
class ProbedFeed {
 public:
  ProbedFeed(const Evaluator& evaluator, const ValueKeys& referenceKeys, Probes probes,
             const Feed& feed, ErrorStore& errors, const JobContext& job)
      : m_evaluator(evaluator),
        m_referenceKeys(referenceKeys),
        m_probes(probes),
        m_feed(feed),
        m_errors(errors),
        m_job(job),
        m_records(probes.size()) {}

  Records run() {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < m_probes.size(); ++i) {
      if (!m_probes[i]) continue;
      m_records[i] = m_errors.find<PowerRecord>(keyOf(i));
      if (m_records[i] == nullptr) missing.push_back(i);
    }
    if (!missing.empty()) runLayers(missing);
    return std::move(m_records);
  }

 private:
  const Graph& graph() const { return m_evaluator.engine().graph(); }
  ContentId keyOf(std::size_t probe) const {
    return combined({m_feed.content, m_probes[probe]->record});
  }

  void runLayers(const std::vector<std::size_t>& missing) {
    std::vector<ValueId> wanted;
    for (const std::size_t i : missing) {
      const LocalProbe& probe = *m_probes[i];
      wanted.push_back(probe.output);
      std::ranges::copy_if(graph()[probe.layer->lead()].inputs, std::back_inserter(wanted),
                           &ValueId::valid);
    }
    const SampleInputs sample{m_feed.content, m_feed.inputs, m_feed.batch};
    Evaluation reference(m_evaluator, sample, m_referenceKeys, nullptr, wanted,
                         Evaluation::Keep::InCache);
    reference.run(m_job);
    for (const std::size_t i : missing) {
      m_job.throwIfCancelled();
      const Tensor expected = reference.find(m_probes[i]->output).tensor;
      m_records[i] = m_errors.insert(
          keyOf(i),
          measureProbe(*m_probes[i], expected, resultOf(*m_probes[i], reference), m_feed));
    }
  }

  Tensor resultOf(const LocalProbe& probe, const Evaluation& reference) const {
    return runLayer(m_evaluator.engine(), *probe.layer,
                    quantizationOf(*probe.layer, *probe.applied), m_feed.batch,
                    [&](NodeId node, std::size_t input, Layout preferred) {
                      return tensorOf(reference.find(graph()[node].inputs[input]), preferred);
                    });
  }

  const Evaluator& m_evaluator;
  const ValueKeys& m_referenceKeys;
  Probes m_probes;
  const Feed& m_feed;
  ErrorStore& m_errors;
  const JobContext& m_job;
  Records m_records;
};

}  // namespace

std::optional<LocalProbe> probeOf(const Evaluator& evaluator, const ValueKeys& referenceKeys,
                                  const std::vector<ChannelAxis>& channelAxes,
                                  const LayerQuantization& layer,
                                  const AppliedQuantization& applied) {
  const Engine& engine = evaluator.engine();
  const std::vector<NodeId>& members = layer.layer.members;
  const ValueId output = engine.graph()[layer.layer.last()].outputs.at(0);
  const bool runs =
      std::ranges::all_of(members, [&](NodeId member) { return engine.kernel(member) != nullptr; });
  const bool measured = layer.quantized && runs && output.valid() && evaluator.computable(output) &&
                        engine.graph()[output].block == Graph::mainBlock();
  if (!measured) return std::nullopt;
  const ContentId value = referenceKeys.after(members, applied);
  const ChannelAxis axis = channelAxes[output.at()];
  return LocalProbe{&layer.layer, &applied, output,
                    axis,         value,    recordOf(referenceKeys[output], value, axis)};
}

PowerRecord measureProbe(const LocalProbe& probe, const Tensor& expected, const Tensor& actual,
                         const Feed& feed) {
  std::vector<ChannelSums> sums(feed.samples);
  const bool compares = expected.defined() && isFloat(expected.type()) && actual.defined() &&
                        actual.shape() == expected.shape();
  if (compares) addErrors(expected, actual, probe.axis, feed.batch, sums);
  PowerRecord record;
  for (const ChannelSums& sample : sums) {
    std::vector<Powers>& powers = record.samples.emplace_back();
    for (const ErrorSums& each : sample) {
      powers.push_back({each.referenceSquared, each.squaredError});
    }
  }
  return record;
}

std::vector<std::optional<double>> localSqnrDb(const Evaluator& evaluator,
                                               const ValueKeys& referenceKeys, Probes probes,
                                               SampleSource& samples, AnalysisMemory& memory,
                                               JobContext& job) {
  std::vector<std::vector<Powers>> totals(probes.size());  // by channel
  job.beginStage("Local errors", samples.sampleCount(), "samples");
  forEachFeed(
      samples, job,
      [&](const Feed& feed) {
        return ProbedFeed(evaluator, referenceKeys, probes, feed, memory.errors, job).run();
      },
      [&](const Feed& /*feed*/, const Records& records) {
        for (std::size_t i = 0; i < probes.size(); ++i) {
          if (records[i] != nullptr) addTo(totals[i], *records[i]);
        }
      });
  std::vector<std::optional<double>> result(probes.size());
  for (std::size_t i = 0; i < probes.size(); ++i) {
    Powers all;
    for (const Powers& channel : totals[i]) all.add(channel);
    result[i] = sqnrDb(all.reference, all.error);
  }
  return result;
}

}  // namespace quantscope
