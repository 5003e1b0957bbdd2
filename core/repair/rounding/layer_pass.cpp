#include "repair/rounding/layer_pass.h"

#include <algorithm>

#include "calibration/without_padding.h"
#include "engine/fake_quantize_tensor.h"

namespace quantscope {
namespace {

// All feeds are on their way at once, each with the values that later layers read.
constexpr std::size_t kValueBytes = std::size_t{3} << 30;
constexpr std::size_t kMostFeeds = 256;

PlanRequest requestOf(const Engine& engine, const std::vector<LinearLayer>& layers) {
  const Graph& graph = engine.graph();
  PlanRequest request;
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  for (const LinearLayer& layer : layers) {
    request.wanted.push_back(layer.data);
    request.wanted.push_back(graph[layer.lead].outputs.at(0));
  }
  std::ranges::sort(request.wanted);
  const auto [first, last] = std::ranges::unique(request.wanted);
  request.wanted.erase(first, last);
  return request;
}

void put(std::vector<std::pair<std::size_t, Tensor>>& constants, std::size_t slot,
         const Tensor& tensor) {
  const auto found = std::ranges::find(constants, slot, &std::pair<std::size_t, Tensor>::first);
  if (found == constants.end()) {
    constants.emplace_back(slot, tensor);
  } else {
    found->second = tensor;
  }
}

void runTo(Execution& execution, NodeId node, const JobContext& job) {
  while (!execution.finished() && !(execution.depth() == 1 && execution.next() == node)) {
    job.throwIfCancelled();
    execution.step();
  }
}

// The most elements of a value that a feed keeps: the inputs of all layers at once.
std::size_t bytesOf(const Observations& observations, const std::vector<LinearLayer>& layers) {
  std::size_t most = 0;
  for (const LinearLayer& layer : layers) {
    const Observation* observation = observations.find(layer.data);
    if (observation == nullptr || observation->samples == 0) continue;
    most = std::max(most, observation->count / observation->samples * sizeof(float));
  }
  return most;
}

}  // namespace

struct LayerPass::Run {
  Feed feed;
  Execution twin;
  Execution quantized;

  Run(Feed&& from, const Plan& twinPlan, const Plan& quantizedPlan,
      const AppliedQuantization& applied)
      : feed(std::move(from)),
        twin(twinPlan, feed.inputs, nullptr, feed.batch),
        quantized(quantizedPlan, feed.inputs, &applied, feed.batch) {}
};

LayerPass::LayerPass(const RepairState& state, const std::vector<LinearLayer>& layers,
                     RepairTools& tools)
    : m_state(state), m_tools(tools), m_applied(state.model->applied) {
  m_twinPlan = std::make_unique<Plan>(*state.twin, requestOf(*state.twin, layers));
  m_quantizedPlan = std::make_unique<Plan>(*state.engine, requestOf(*state.engine, layers));
  orderLayers(layers);
  // Each value exists twice, in float and quantized; a few values are alive at a time.
  const std::size_t each = 8 * std::max<std::size_t>(bytesOf(*state.observations, layers), 1);
  const std::size_t all = tools.fit.feedCount();
  m_feeds = std::clamp(kValueBytes / each, std::size_t{1}, std::min(all, kMostFeeds));
  const std::size_t budget = tools.job.memoryBudget();
  const std::size_t kept = budget == 0 ? m_feeds : std::min(m_feeds, budget / each);
  for (std::size_t i = 0; i < kept; ++i) m_runs.push_back(start(i));
}

LayerPass::~LayerPass() = default;

std::unique_ptr<LayerPass::Run> LayerPass::start(std::size_t feed) {
  const std::scoped_lock lock(m_reading);
  return std::make_unique<Run>(m_tools.fit.read(feed * m_tools.fit.feedCount() / m_feeds),
                               *m_twinPlan, *m_quantizedPlan, m_applied);
}

void LayerPass::orderLayers(const std::vector<LinearLayer>& layers) {
  for (const Plan::Step& step : m_quantizedPlan->steps(Graph::mainBlock())) {
    const auto found = std::ranges::find(layers, step.node, &LinearLayer::lead);
    if (found != layers.end()) {
      m_order.push_back(static_cast<std::size_t>(found - layers.begin()));
    }
  }
}

void LayerPass::advanceTo(const LinearLayer& layer) {
  m_tools.job.workers().forEach(m_runs.size(), [&](std::size_t i) { advance(*m_runs[i], layer); });
}

void LayerPass::advance(Run& run, const LinearLayer& layer) const {
  runTo(run.twin, layer.lead, m_tools.job);
  runTo(run.quantized, layer.lead, m_tools.job);
}

LayerInputs LayerPass::inputs(const LinearLayer& layer, std::size_t feed) {
  if (feed < m_runs.size()) return inputsOf(*m_runs[feed], layer);
  const std::unique_ptr<Run> run = start(feed);
  advance(*run, layer);
  return inputsOf(*run, layer);
}

LayerInputs LayerPass::inputsOf(Run& run, const LinearLayer& layer) const {
  LayerInputs inputs{toFloat32(run.twin.value(layer.data)),
                     toFloat32(run.quantized.value(layer.data))};
  for (const auto& [slot, params] : m_applied[layer.lead].inputs) {
    if (slot != layer.dataSlot) continue;
    inputs.quantized = fakeQuantizeValue(inputs.quantized, params, run.feed.batch);
  }
  return {withoutPadding(inputs.twin, run.feed), withoutPadding(inputs.quantized, run.feed)};
}

void LayerPass::replace(const LinearLayer& layer, const Tensor& weight, const Tensor* bias) {
  NodeQuantization lead = m_applied[layer.lead];
  put(lead.constants, layer.weightSlot, weight);
  if (bias != nullptr && layer.bias->node == layer.lead) {
    put(lead.constants, layer.bias->slot, *bias);
  }
  m_applied.set(layer.lead, std::move(lead));
  if (bias == nullptr || layer.bias->node == layer.lead) return;
  NodeQuantization holder = m_applied[layer.bias->node];
  put(holder.constants, layer.bias->slot, *bias);
  m_applied.set(layer.bias->node, std::move(holder));
}

}  // namespace quantscope
