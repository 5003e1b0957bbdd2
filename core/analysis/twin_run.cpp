#include "analysis/twin_run.h"

#include <algorithm>
#include <cmath>

#include "engine/quantized_node.h"
#include "kernels/min_max.h"

namespace quantscope {
namespace {

class TwinRun {
 public:
  TwinRun(const TwinSetup& setup, const Feed& feed)
      : m_setup(setup),
        m_graph(setup.engine.graph()),
        m_feed(feed),
        m_reference(setup.plan, feed.inputs),
        m_quantized(setup.plan, feed.inputs, &setup.model.applied, feed.batch),
        m_pending(setup.model.layers.size()) {
    const std::size_t layers = setup.model.layers.size();
    const std::vector<ChannelSums> none(feed.samples);
    m_errors.local.assign(layers, none);
    m_errors.accumulated.assign(layers, none);
    m_errors.bins.resize(layers);
  }

  TwinErrors run(const JobContext& job) {
    while (!m_reference.finished() && !m_quantized.finished()) {
      job.throwIfCancelled();
      if (m_reference.next() != m_quantized.next() || m_reference.depth() != m_quantized.depth()) {
        leaveDifferingBodies();
        continue;
      }
      runLocally(m_reference.next());
      const NodeId done = m_reference.step();
      m_quantized.step();
      if (done.valid()) compare(done);
    }
    collectOutputs();
    return std::move(m_errors);
  }

 private:
  // A condition that quantization has turned over: the two runs are in different sub-graphs, or
  // one has left a loop. Their values have no counterparts until both are outside again.
  void leaveDifferingBodies() {
    const std::size_t depth = m_reference.depth() == m_quantized.depth()
                                  ? m_reference.depth() - 1
                                  : std::min(m_reference.depth(), m_quantized.depth());
    while (m_reference.depth() > depth) m_reference.step();
    while (m_quantized.depth() > depth) m_quantized.step();
  }

  void runLocally(NodeId node) {
    const std::size_t index = m_setup.layerOfLead[node.at()];
    if (index == TwinSetup::kNoLayer || !m_setup.model.layers[index].quantized) return;
    const std::vector<NodeId>& members = m_setup.model.layers[index].layer.members;
    const bool executable = std::ranges::all_of(
        members, [&](NodeId member) { return m_setup.engine.kernel(member) != nullptr; });
    if (!executable) return;
    m_pending[index] = evaluateLayer(m_setup.model.layers[index].layer);
  }

  // The layer under its quantization, on the float run's values, which the coming step may forget.
  Tensor evaluateLayer(const FusedLayer& layer) {
    Tensor previous;
    ValueId previousId;
    for (const NodeId id : layer.members) {
      const Node& node = m_graph[id];
      const Layout preferred = preferredLayout(*m_setup.engine.kernel(id));
      std::vector<Tensor> inputs;
      for (const ValueId input : node.inputs) {
        const bool inside = previousId.valid() && input == previousId;
        inputs.push_back(inside ? previous : m_reference.value(input, preferred));
      }
      std::vector<Tensor> outputs(node.outputs.size());
      previous = Tensor();
      runQuantizedNode(m_setup.engine, id, &m_setup.model.applied[id], m_feed.batch, inputs,
                       outputs);
      previous = std::move(outputs[0]);
      previousId = node.outputs[0];
    }
    return previous;
  }

  void compare(NodeId node) {
    const std::size_t index = m_setup.layerOfLast[node.at()];
    if (index == TwinSetup::kNoLayer) return;
    const ValueId output = m_setup.outputOf(index);
    const Tensor expected = m_reference.value(output, Layout::ChannelsLast);
    if (!expected.defined() || !isFloat(expected.type())) return;
    const Tensor actual = m_quantized.value(output, expected.layout());
    const ChannelAxis axis = m_setup.channelAxes[output.at()];
    if (actual.defined() && actual.shape() == expected.shape()) {
      addErrors(expected, actual, axis, m_feed.batch, m_errors.accumulated[index]);
      count(index, expected, actual);
    }
    const Tensor local = std::exchange(m_pending[index], Tensor());
    if (local.defined() && local.shape() == expected.shape()) {
      addErrors(expected, local, axis, m_feed.batch, m_errors.local[index]);
    }
  }

  void count(std::size_t index, const Tensor& expected, const Tensor& actual) {
    const std::optional<Range>& range = m_setup.ranges[index];
    if (!range || !(range->low < range->high)) return;
    OutputBins& bins = m_errors.bins[index];
    bins.reference.resize(OutputBins::kBins);
    bins.quantized.resize(OutputBins::kBins);
    countInto(expected, *range, bins.reference);
    countInto(actual, *range, bins.quantized);
    countClipped(index, expected, bins);
  }

  void countInto(const Tensor& tensor, const Range& range, std::vector<std::uint32_t>& bins) const {
    const Tensor values = toFloat32(tensor);
    const float perUnit = static_cast<float>(bins.size()) / (range.high - range.low);
    const float last = static_cast<float>(bins.size() - 1);
    visitSamples(values, m_feed.batch, m_feed.samples,
                 [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                   for (const float value : values.values<float>().subspan(first, count)) {
                     if (std::isnan(value)) continue;
                     const float bin = (value - range.low) * perUnit;
                     ++bins[static_cast<std::size_t>(std::clamp(bin, 0.0F, last))];
                   }
                 });
  }

  void countClipped(std::size_t index, const Tensor& tensor, OutputBins& bins) const {
    const std::optional<QuantParams>& output = m_setup.model.layers[index].output;
    if (!output || output->grids.size() != 1) return;
    const Range range = output->unclipped(output->grids.front());
    const Range held = output->representable(output->grids.front());
    const Tensor values = toFloat32(tensor);
    visitSamples(values, m_feed.batch, m_feed.samples,
                 [&](std::size_t /*sample*/, std::size_t first, std::size_t count) {
                   for (const float value : values.values<float>().subspan(first, count)) {
                     if (!(value < range.low || value > range.high)) continue;
                     ++bins.clipped;
                     if (!std::isfinite(value)) continue;
                     const double beyond = value - std::clamp(value, held.low, held.high);
                     bins.clippedSquares += beyond * beyond;
                   }
                   bins.total += count;
                   const MinMax extremes = minMax(values.values<float>().subspan(first, count));
                   if (extremes.empty()) return;
                   bins.range.include(extremes.min);
                   bins.range.include(extremes.max);
                 });
  }

  void collectOutputs() {
    while (!m_reference.finished()) m_reference.step();
    while (!m_quantized.finished()) m_quantized.step();
    for (const ValueId output : m_graph.outputs()) {
      m_errors.referenceOutputs.push_back(m_reference.value(output));
      m_errors.quantizedOutputs.push_back(m_quantized.value(output));
    }
  }

  const TwinSetup& m_setup;
  const Graph& m_graph;
  const Feed& m_feed;
  Execution m_reference;
  Execution m_quantized;
  std::vector<Tensor> m_pending;  // by layer: local results that wait for the float output
  TwinErrors m_errors;
};

}  // namespace

TwinSetup::TwinSetup(const Engine& engineIn, const Plan& planIn, const QuantizedModel& modelIn,
                     std::vector<std::optional<Range>> histogramRanges)
    : engine(engineIn),
      plan(planIn),
      model(modelIn),
      channelAxes(findChannelAxes(engineIn.graph())),
      layerOfLead(engineIn.graph().nodes().size(), kNoLayer),
      layerOfLast(layerOfLead),
      ranges(std::move(histogramRanges)) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    layerOfLead[model.layers[i].layer.lead().at()] = i;
    layerOfLast[model.layers[i].layer.last().at()] = i;
  }
}

ValueId TwinSetup::outputOf(std::size_t layer) const {
  return engine.graph()[model.layers[layer].layer.last()].outputs.at(0);
}

TwinErrors runTwins(const TwinSetup& setup, const Feed& feed, const JobContext& job) {
  return TwinRun(setup, feed).run(job);
}

}  // namespace quantscope
