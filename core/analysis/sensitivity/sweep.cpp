#include "analysis/sensitivity/sweep.h"

#include <algorithm>
#include <mutex>
#include <ranges>

#include "analysis/twin_setup.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

SampleInputs inputsOf(const Feed& feed) {
  return {feed.content, feed.inputs, feed.batch};
}

// What the run of a change begins with: what it leaves as it is of the wanted outputs, and of what
// nodes read that run again: those whose outputs it alters, and in front of them those with outputs
// that are `inside` a layer. Values may stand there several times.
std::vector<ValueId> startsOf(const Graph& graph, const ValueKeys& base, const ValueKeys& changed,
                              std::span<const ValueId> outputs, const std::vector<bool>& inside) {
  std::vector<ValueId> starts;
  std::vector<bool> runsAgain(graph.values().size());
  for (const ValueId output : outputs) {
    if (base[output] == changed[output]) starts.push_back(output);
  }
  for (const NodeId node : std::views::reverse(graph.main().nodes)) {
    const auto again = [&](ValueId value) {
      return value.valid() && (runsAgain[value.at()] || base[value] != changed[value]);
    };
    if (std::ranges::none_of(graph[node].outputs, again)) continue;
    for (const ValueId read : readValues(graph, node)) {
      if (base[read] != changed[read]) continue;
      if (inside[read.at()]) {
        runsAgain[read.at()] = true;
      } else {
        starts.push_back(read);
      }
    }
  }
  return starts;
}

}  // namespace

/// The base under one change.
struct Sweep::Variant {
  AppliedQuantization applied;
  ValueKeys keys;
  std::vector<ContentId> records;   ///< by output
  std::optional<LocalProbe> probe;  ///< whose value is one of the run
};

struct Sweep::Prepared {
  std::vector<Variant> variants;
  std::vector<ValueId> starts;  ///< values of the base
};

/// The results of one feed.
struct Sweep::FeedResults {
  std::vector<std::vector<std::shared_ptr<const OutputRecord>>> records;  ///< [change][output]
  std::vector<Tensor> references;                                         ///< by output
  bool complete = true;
};

Sweep::Sweep(const Engine& engine, const QuantizedModel& base, std::vector<ValueId> outputs,
             SampleSet& samples, AnalysisMemory& memory, JobContext& job, const Labels& labels)
    : m_base(base),
      m_outputs(std::move(outputs)),
      m_samples(samples),
      m_memory(memory),
      m_job(job),
      m_labels(labels),
      m_evaluator(engine, memory.activations),
      m_referenceKeys(engine, nullptr),
      m_baseKeys(engine, &base.applied),
      m_inside(engine.graph().values().size()) {
  for (const LayerQuantization& layer : base.layers) {
    for (const NodeId member : layer.layer.members) {
      if (member == layer.layer.last()) continue;
      for (const ValueId output : engine.graph()[member].outputs) {
        if (output.valid()) m_inside[output.at()] = true;
      }
    }
  }
  for (const ValueId output : m_outputs) {
    m_afterSoftmax.push_back(comesFromSoftmax(engine.graph(), output));
  }
}

Sweep::Variant Sweep::variantOf(const QuantizationChanges& change) const {
  AppliedQuantization applied = m_base.applied;
  for (const auto& [node, quantization] : change) applied.set(node, quantization);
  ValueKeys keys(m_evaluator.engine(), &applied);
  std::vector<ContentId> records;
  for (const ValueId output : m_outputs) {
    records.push_back(outputRecordKey(m_referenceKeys[output], keys[output]));
  }
  return {std::move(applied), std::move(keys), std::move(records), std::nullopt};
}

// Side by side: the keys of a large graph take long.
std::shared_ptr<const Sweep::Prepared> Sweep::prepare(
    std::span<const QuantizationChanges> changes,
    std::span<const std::optional<LocalProbe>> probes) const {
  std::vector<std::optional<Variant>> made(changes.size());
  // A base in float makes the float outputs on its way.
  const Graph& graph = m_evaluator.engine().graph();
  std::vector<bool> starts(graph.values().size());
  for (const ValueId output : m_outputs) {
    starts[output.at()] = m_baseKeys[output] == m_referenceKeys[output];
  }
  std::mutex mutex;  // guards `starts`
  m_job.workers().forEach(changes.size(), [&](std::size_t i) {
    m_job.throwIfCancelled();
    made[i].emplace(variantOf(changes[i]));
    const bool probed = i < probes.size() && probes[i];
    if (probed && made[i]->keys[probes[i]->output] == probes[i]->value) made[i]->probe = probes[i];
    const std::vector<ValueId> own =
        startsOf(graph, m_baseKeys, made[i]->keys, m_outputs, m_inside);
    const std::lock_guard lock(mutex);
    for (const ValueId start : own) starts[start.at()] = true;
  });
  auto prepared = std::make_shared<Prepared>();
  for (std::optional<Variant>& variant : made) prepared->variants.push_back(*std::move(variant));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i]) prepared->starts.emplace_back(i);
  }
  return prepared;
}

std::vector<ContentId> Sweep::recordKeys(const Prepared& changes) {
  std::vector<ContentId> keys;
  for (const Variant& variant : changes.variants) {
    keys.insert(keys.end(), variant.records.begin(), variant.records.end());
  }
  return keys;
}

std::vector<std::vector<OutputResult>> Sweep::run(const Prepared& changes, const std::string& stage,
                                                  SampleSource* part) {
  const std::vector<Variant>& variants = changes.variants;
  std::vector<std::vector<OutputErrors>> errors(variants.size());
  for (std::vector<OutputErrors>& each : errors) {
    for (const ValueId output : m_outputs) {
      each.emplace_back(m_evaluator.engine().graph(), output, m_labels.classes);
    }
  }
  SampleSource& samples = part == nullptr ? m_samples : *part;
  m_job.beginStage(stage, samples.sampleCount(), "samples");
  forEachWindow(samples, m_job, [&](const std::vector<Feed>& feeds) {
    std::vector<FeedResults> results(feeds.size());
    m_job.workers().forEach(feeds.size(), [&](std::size_t i) {
      results[i] = lookUp(feeds[i], variants);
      if (!results[i].complete) runBase(feeds[i], changes.starts, results[i]);
    });
    m_job.workers().forEach(feeds.size() * variants.size(), [&](std::size_t item) {
      const std::size_t feed = item / variants.size();
      const std::size_t change = item % variants.size();
      measure(feeds[feed], variants[change], change, results[feed]);
    });
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      for (std::size_t change = 0; change < variants.size(); ++change) {
        for (std::size_t output = 0; output < m_outputs.size(); ++output) {
          errors[change][output].add(*results[i].records[change][output], feeds[i].firstSample);
        }
      }
    }
  });
  if (samples.sampleCount() > 0 && !errors.empty()) {
    requireLabelledOutput(errors.front(), m_labels);
  }
  std::vector<std::vector<OutputResult>> rows(variants.size());
  for (std::size_t change = 0; change < variants.size(); ++change) {
    for (const OutputErrors& each : errors[change]) rows[change].push_back(each.result());
  }
  return rows;
}

Sweep::FeedResults Sweep::lookUp(const Feed& feed, const std::vector<Variant>& variants) const {
  FeedResults results;
  for (const Variant& variant : variants) {
    auto& records = results.records.emplace_back();
    for (const ContentId key : variant.records) {
      records.push_back(m_memory.errors.find<OutputRecord>(combined({feed.content, key})));
      results.complete = results.complete && records.back() != nullptr;
    }
  }
  return results;
}

// Runs the start values of the changes, as far as the cache holds them, and the float outputs.
void Sweep::runBase(const Feed& feed, const std::vector<ValueId>& starts,
                    FeedResults& results) const {
  const SampleInputs sample = inputsOf(feed);
  Evaluation base(m_evaluator, sample, m_baseKeys, &m_base.applied, starts,
                  Evaluation::Keep::InCache);
  while (!base.finished()) {
    m_job.throwIfCancelled();
    base.step();
    for (const ValueId made : base.made()) base.release(made);
  }
  Evaluation reference(m_evaluator, sample, m_referenceKeys, nullptr, m_outputs,
                       Evaluation::Keep::InCache);
  reference.run(m_job);
  for (const ValueId output : m_outputs) {
    results.references.push_back(tensorOf(reference.find(output), Layout::Plain));
  }
}

void Sweep::measure(const Feed& feed, const Variant& variant, std::size_t index,
                    FeedResults& results) const {
  std::vector<std::shared_ptr<const OutputRecord>>& records = results.records[index];
  if (std::ranges::find(records, nullptr) == records.end()) return;
  const SampleInputs sample = inputsOf(feed);
  std::vector<ValueId> wanted = m_outputs;
  const ValueId probed = variant.probe ? variant.probe->output : ValueId();
  const bool onTheWay = probed.valid() && std::ranges::find(wanted, probed) == wanted.end();
  if (onTheWay) wanted.push_back(probed);
  // What a change alters is kept nowhere.
  Evaluation run(m_evaluator, sample, variant.keys, &variant.applied, wanted,
                 Evaluation::Keep::Nowhere, &m_baseKeys);
  while (!run.finished()) {
    m_job.throwIfCancelled();
    run.step();
    if (!onTheWay || std::ranges::find(run.made(), probed) == run.made().end()) continue;
    measureAlone(feed, *variant.probe, run.find(probed).tensor);
    run.release(probed);
  }
  if (probed.valid() && !onTheWay) measureAlone(feed, *variant.probe, run.find(probed).tensor);
  for (std::size_t i = 0; i < m_outputs.size(); ++i) {
    if (records[i] != nullptr) continue;
    records[i] = m_memory.errors.insert(
        combined({feed.content, variant.records[i]}),
        measureOutput(results.references[i], tensorOf(run.find(m_outputs[i]), Layout::Plain),
                      feed.batch, feed.samples, m_afterSoftmax[i]));
  }
}

void Sweep::measureAlone(const Feed& feed, const LocalProbe& probe, const Tensor& actual) const {
  const SampleInputs sample = inputsOf(feed);
  const std::vector<ValueId> wanted{probe.output};
  Evaluation reference(m_evaluator, sample, m_referenceKeys, nullptr, wanted,
                       Evaluation::Keep::InCache);
  reference.run(m_job);
  m_memory.errors.insert(combined({feed.content, probe.record}),
                         measureProbe(probe, reference.find(probe.output).tensor, actual, feed));
}

}  // namespace quantscope
