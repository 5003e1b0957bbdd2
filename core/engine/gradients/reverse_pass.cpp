#include "engine/gradients/reverse_pass.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/part_loop.h"
#include "engine/execution.h"
#include "engine/gradients/cotangent_sum.h"
#include "engine/gradients/cotangents.h"
#include "engine/half_values.h"
#include "engine/operators/convert.h"

namespace quantscope {
namespace {

constexpr std::size_t kSchedules = 8;
// Share of the budget for values that are held for the way back; the rest is for the values of the
// current node, its scratch memory and the cotangents.
constexpr double kHeldShare = 0.6;

Tensor widenedTensor(const StoredValue& value) {
  return value.tensor.defined() && isHalf(value.tensor.type()) ? toFloat32(value.tensor)
                                                               : value.tensor;
}

ElementType cotangentType(ElementType type) {
  return type == ElementType::Float64 ? type : ElementType::Float32;
}

// From the inputs to all values that the outputs need: before a block of a network there are nodes
// that nothing is given for.
PlanRequest everythingBefore(const Graph& graph, std::span<const ValueId> outputs) {
  PlanRequest request;
  request.given.assign(graph.inputs().begin(), graph.inputs().end());
  std::vector<char> met(graph.values().size());
  for (const ValueId input : request.given) met[input.at()] = 1;
  std::vector<ValueId> open(outputs.begin(), outputs.end());
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    const NodeId producer = graph[value].producer;
    if (met[value.at()] != 0 || !producer.valid()) continue;
    met[value.at()] = 1;
    request.wanted.push_back(value);
    for (const ValueId read : readValues(graph, producer)) open.push_back(read);
  }
  return request;
}

}  // namespace

struct ReversePass::KnownSchedule {
  std::vector<Shape> shapes;  // of the inputs
  std::size_t budget;
  std::shared_ptr<const ReverseSchedule> schedule;
};

/// One pass: values that are held, and the cotangents that wait for the node that made the value.
class ReversePass::Run final : public ReverseListener::Values {
 public:
  Run(const ReversePass& pass, const ReverseSchedule& schedule,
      std::span<const std::pair<ValueId, Tensor>> inputs, ReverseListener& listener,
      const JobContext& job)
      : m_pass(pass),
        m_graph(pass.m_engine.graph()),
        m_schedule(schedule),
        m_inputs(inputs),
        m_listener(listener),
        m_job(job) {
    for (const auto& [value, tensor] : inputs) m_known[value] = {tensor.shape(), tensor.type()};
  }

  void run() {
    forward();
    begin();
    for (std::size_t i = m_schedule.segments.size(); i-- > 0;) {
      const ReverseSchedule::Segment& segment = m_schedule.segments[i];
      runAgain(segment);
      for (std::size_t stop = segment.end; stop-- > segment.first;)
        back(m_pass.m_path.stops()[stop]);
    }
    for (const ValueId source : m_pass.m_rootSources) deliver(source);
  }

  StoredValue find(ValueId value) const override {
    if (const auto held = m_held.find(value); held != m_held.end()) return held->second;
    for (const auto& [input, tensor] : m_inputs) {
      if (input == value) return {tensor};
    }
    if (const Tensor* constant = m_pass.m_engine.constant(value)) return {*constant};
    return {};
  }

 private:
  struct Known {
    Shape shape;
    ElementType type = ElementType::Float32;
  };
  using Cotangents = std::vector<Tensor>;  // by probe

  // Hands every wanted value to `take` as soon as it is computed.
  template <class Take>
  void execute(Execution& execution, const Take& take) {
    while (!execution.finished()) {
      m_job.throwIfCancelled();
      const NodeId first = execution.next();
      const NodeId last = execution.step();
      if (!last.valid() || execution.depth() > 1) continue;
      for (const NodeId node : {last, first}) {
        for (const ValueId output : m_graph[node].outputs) {
          if (!output.valid() || m_graph[output].block != Graph::mainBlock()) continue;
          const StoredValue stored = execution.stored(output);
          if (stored.tensor.defined()) take(output, stored);
        }
        if (first == last) break;
      }
    }
  }

  void forward() {
    Execution execution(*m_schedule.forward, m_inputs);
    execute(execution, [this](ValueId value, const StoredValue& stored) {
      m_known[value] = {stored.tensor.shape(), stored.tensor.type()};
      if (m_schedule.kept[value.at()] != 0 || isOutput(value)) m_held[value] = stored;
    });
  }

  bool isOutput(ValueId value) const {
    return std::ranges::find(m_pass.m_outputs, value) != m_pass.m_outputs.end();
  }

  void runAgain(const ReverseSchedule::Segment& segment) {
    if (segment.plan == nullptr) return;
    std::vector<std::pair<ValueId, StoredValue>> given;
    for (const auto& [input, tensor] : m_inputs) given.emplace_back(input, StoredValue{tensor});
    for (const ValueId value : segment.given) given.emplace_back(value, m_held.at(value));
    std::vector<char> needed(m_graph.values().size());
    for (std::size_t i = segment.first; i < segment.end; ++i) {
      for (const ValueId value : m_pass.m_path.stops()[i].elements) needed[value.at()] = 1;
    }
    Execution execution(*segment.plan, given, nullptr, 1);
    execute(execution, [&](ValueId value, const StoredValue& stored) {
      if (needed[value.at()] != 0) m_held.try_emplace(value, stored);
    });
  }

  void begin() {
    const std::vector<std::vector<Tensor>> seeds = m_listener.begin(*this);
    m_probes = seeds.size();
    for (std::size_t i = 0; i < m_pass.m_outputs.size(); ++i) {
      Cotangents& each = m_cotangents[m_pass.m_outputs[i]];
      each.resize(m_probes);
      for (std::size_t probe = 0; probe < m_probes; ++probe) addTo(each[probe], seeds[probe][i]);
    }
  }

  // Of a source that no node makes.
  CotangentSum* sumOf(ValueId value) const {
    const bool isRoot = m_pass.m_isSource[value.at()] != 0 && !m_graph[value].producer.valid();
    return isRoot ? m_listener.sumOf(value) : nullptr;
  }

  void deliver(ValueId value) {
    if (m_pass.m_isSource[value.at()] == 0) return;
    const auto found = m_cotangents.find(value);
    if (CotangentSum* const sum = sumOf(value)) {
      if (found != m_cotangents.end()) sum->add(found->second[0]);
      return;
    }
    const Cotangents none(m_probes);
    m_listener.take(value, found == m_cotangents.end() ? none : found->second, *this);
  }

  void back(const ReversePath::Stop& stop) {
    m_job.throwIfCancelled();
    const Node& node = m_graph[stop.node];
    for (const ValueId output : node.outputs) {
      if (output.valid()) deliver(output);
    }
    if (!stop.wanted.empty()) goThrough(stop, node);
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      m_cotangents.erase(output);
      m_held.erase(output);
    }
  }

  void goThrough(const ReversePath::Stop& stop, const Node& node) {
    std::vector<Cotangents> byProbe(m_probes);
    std::vector<char> any(m_probes);
    for (const ValueId output : node.outputs) {
      const auto found = output.valid() ? m_cotangents.find(output) : m_cotangents.end();
      for (std::size_t probe = 0; probe < m_probes; ++probe) {
        byProbe[probe].push_back(found == m_cotangents.end() ? Tensor() : found->second[probe]);
        if (byProbe[probe].back().defined()) any[probe] = 1;
      }
      // The tensors have moved to byProbe, so that a gradient that passes them on shares nothing.
      if (found != m_cotangents.end()) m_cotangents.erase(found);
    }
    if (std::ranges::none_of(any, [](char each) { return each != 0; })) return;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    std::vector<Shape> shapes;
    gather(stop, node, inputs, outputs, shapes);
    std::vector<Cotangents> results(m_probes, Cotangents(node.inputs.size()));
    const Gradient& gradient = m_pass.m_path.gradient(stop.node);
    std::vector<char> wanted = stop.wanted;
    try {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        CotangentSum* const sum = wanted[i] != 0 ? sumOf(node.inputs[i]) : nullptr;
        const GradientCall call{inputs, outputs, shapes, byProbe[0], wanted};
        if (sum != nullptr && gradient.addToSum(call, i, *sum)) wanted[i] = 0;
      }
      forEachPart(m_probes, [&](std::size_t probe) {
        if (any[probe] == 0) return;
        gradient.run({inputs, outputs, shapes, byProbe[probe], wanted}, results[probe]);
      });
    } catch (const Error& error) {
      throw error.at({.file = {}, .node = node.name, .value = {}});
    }
    byProbe.clear();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (wanted[i] == 0) continue;
      for (std::size_t probe = 0; probe < m_probes; ++probe) {
        accumulate(node.inputs[i], probe, std::move(results[probe][i]));
      }
    }
  }

  void gather(const ReversePath::Stop& stop, const Node& node, std::vector<Tensor>& inputs,
              std::vector<Tensor>& outputs, std::vector<Shape>& shapes) const {
    const Gradient& gradient = m_pass.m_path.gradient(stop.node);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      shapes.push_back(shapeOf(input));
      inputs.push_back(input.valid() && gradient.readsInput(i, stop.wanted) ? elementsOf(input)
                                                                            : Tensor());
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      outputs.push_back(output.valid() && gradient.readsOutput(i) ? elementsOf(output) : Tensor());
    }
  }

  Tensor elementsOf(ValueId value) const {
    if (const Tensor* constant = m_pass.m_engine.widenedConstant(value)) return *constant;
    return widenedTensor(find(value));
  }

  Shape shapeOf(ValueId value) const {
    if (!value.valid()) return {};
    if (const Tensor* constant = m_pass.m_engine.constant(value)) return constant->shape();
    const auto known = m_known.find(value);
    return known == m_known.end() ? Shape() : known->second.shape;
  }

  void accumulate(ValueId value, std::size_t probe, Tensor cotangent) {
    if (!cotangent.defined()) return;
    ElementType type = cotangent.type();
    if (const Tensor* constant = m_pass.m_engine.constant(value)) type = constant->type();
    if (const auto known = m_known.find(value); known != m_known.end()) type = known->second.type;
    if (!isFloat(type)) return;
    if (cotangent.type() != cotangentType(type)) {
      cotangent = convertedTo(cotangent, cotangentType(type));
    }
    Cotangents& all = m_cotangents[value];
    all.resize(m_probes);
    addTo(all[probe], cotangent);
  }

  const ReversePass& m_pass;
  const Graph& m_graph;
  const ReverseSchedule& m_schedule;
  std::span<const std::pair<ValueId, Tensor>> m_inputs;
  ReverseListener& m_listener;
  const JobContext& m_job;
  std::size_t m_probes = 0;
  std::unordered_map<ValueId, Known> m_known;
  std::unordered_map<ValueId, StoredValue> m_held;
  std::unordered_map<ValueId, Cotangents> m_cotangents;
};

ReversePass::ReversePass(const Engine& engine, std::vector<ValueId> outputs,
                         std::span<const ReverseSource> sources)
    : m_engine(engine),
      m_outputs(std::move(outputs)),
      m_isSource(engine.graph().values().size()),
      m_path(engine, m_outputs, sources),
      m_whole(std::make_shared<const ReverseSchedule>(wholeSchedule(engine, m_path, m_outputs))),
      m_schedules(kSchedules) {
  for (const ReverseSource& source : sources) {
    if (m_isSource[source.value.at()] != 0) continue;
    m_isSource[source.value.at()] = 1;
    if (!engine.graph()[source.value].producer.valid()) m_rootSources.push_back(source.value);
  }
}

ReversePass::~ReversePass() = default;

// A run of everything, in which nothing is held, tells how large the values are.
std::shared_ptr<const ReverseSchedule> ReversePass::scheduleFor(
    std::span<const std::pair<ValueId, Tensor>> inputs, std::size_t budget,
    const JobContext& job) const {
  if (budget == 0) return m_whole;
  std::vector<Shape> shapes;
  for (const auto& [value, tensor] : inputs) shapes.push_back(tensor.shape());
  const auto matches = [&](const KnownSchedule& known) {
    return known.budget == budget && known.shapes == shapes;
  };
  if (const auto known = m_schedules.find(matches)) return known->schedule;
  std::vector<std::size_t> bytes(m_engine.graph().values().size());
  const Plan plan(m_engine, everythingBefore(m_engine.graph(), m_outputs));
  Execution execution(plan, inputs);
  while (!execution.finished()) {
    job.throwIfCancelled();
    const NodeId node = execution.step();
    if (!node.valid() || execution.depth() > 1) continue;
    for (const ValueId output : m_engine.graph()[node].outputs) {
      if (!output.valid()) continue;
      const StoredValue stored = execution.stored(output);
      if (stored.tensor.defined()) bytes[output.at()] = stored.tensor.byteSize();
    }
  }
  auto known = std::make_shared<KnownSchedule>();
  known->shapes = shapes;
  known->budget = budget;
  known->schedule = std::make_shared<const ReverseSchedule>(
      scheduleWithin(m_engine, m_path, m_outputs, bytes,
                     static_cast<std::size_t>(kHeldShare * static_cast<double>(budget))));
  m_schedules.insert(known);
  return known->schedule;
}

void ReversePass::run(std::span<const std::pair<ValueId, Tensor>> inputs, ReverseListener& listener,
                      std::size_t budget, const JobContext& job) const {
  const auto schedule = scheduleFor(inputs, budget, job);
  Run(*this, *schedule, inputs, listener, job).run();
}

}  // namespace quantscope
