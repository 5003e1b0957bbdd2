#include "calibration/recordings.h"

#include <algorithm>
#include <numeric>

#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

// States that another runtime has computed differ by the rounding of its sums.
constexpr double kMostDifference = 1e-3;

/// An input that may be fed with what the run before has put out.
struct StatePlace {
  ValueId input;
  ValueId output;
};

bool mayHaveOneShape(const ValueType& a, const ValueType& b) {
  const auto isFloatType = [](const ValueType& type) {
    return type.element && isFloat(*type.element);
  };
  if (!isFloatType(a) || !isFloatType(b) || !a.shape || !b.shape) return false;
  return std::ranges::equal(*a.shape, *b.shape, [](const Dimension& x, const Dimension& y) {
    return !x.known() || !y.known() || x.extent == y.extent;
  });
}

std::vector<StatePlace> statePlaces(const Evaluator& evaluator) {
  const Graph& graph = evaluator.engine().graph();
  std::vector<StatePlace> places;
  for (const ValueId input : graph.inputs()) {
    for (const ValueId output : graph.outputs()) {
      const bool computed = evaluator.computable(output) && graph[output].producer.valid() &&
                            graph.constant(output) == nullptr;
      if (computed && mayHaveOneShape(graph[input].type, graph[output].type)) {
        places.push_back({input, output});
      }
    }
  }
  return places;
}

Tensor inputOf(const Feed& feed, ValueId input) {
  const auto found = std::ranges::find(feed.inputs, input, &std::pair<ValueId, Tensor>::first);
  return found == feed.inputs.end() ? Tensor() : toFloat32(found->second);
}

bool isConstant(std::span<const float> values) {
  return std::ranges::all_of(values, [&](float value) { return value == values.front(); });
}

bool isClose(std::span<const float> x, std::span<const float> y) {
  double norm = 0;
  double difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    norm += double{x[i]} * x[i];
    difference += (double{x[i]} - y[i]) * (double{x[i]} - y[i]);
  }
  return difference <= kMostDifference * kMostDifference * norm;
}

// `output`: of the feed before.
bool goesOn(const Tensor& before, const Tensor& output, const Tensor& now) {
  if (!before.defined() || !now.defined() || !output.defined()) return false;
  if (now.shape() != output.shape() || now.elementCount() < 2) return false;
  const std::span<const float> state = now.values<float>();
  const bool again =
      before.shape() == now.shape() && std::ranges::equal(before.values<float>(), state);
  return !again && !isConstant(state) && isClose(state, output.values<float>());
}

}  // namespace

std::vector<std::size_t> recordingStarts(const Engine& engine, ActivationCache& cache,
                                         SampleSet& samples, JobContext& job) {
  std::vector<std::size_t> starts(samples.feedCount());
  std::iota(starts.begin(), starts.end(), std::size_t{0});
  if (starts.size() < 2) return starts;
  const Evaluator evaluator(engine, cache);
  const std::vector<StatePlace> places = statePlaces(evaluator);
  if (places.empty()) return starts;
  std::vector<ValueId> wanted;
  for (const StatePlace& place : places) {
    if (std::ranges::find(wanted, place.output) == wanted.end()) wanted.push_back(place.output);
  }
  starts.clear();
  const ValueKeys keys(engine, nullptr);
  const auto compute = [&](const Feed& feed) {
    const SampleInputs sample{feed.content, feed.inputs, feed.batch};
    Evaluation run(evaluator, sample, keys, nullptr, wanted, Evaluation::Keep::InCache);
    run.run(job);
    std::vector<Tensor> outputs;
    for (const StatePlace& place : places) {
      outputs.push_back(toFloat32(tensorOf(run.find(place.output), Layout::Plain)));
    }
    return outputs;
  };
  job.beginStage("Looking for recordings", samples.sampleCount(), "samples");
  std::size_t index = 0;
  Feed before;
  std::vector<Tensor> outputsBefore;
  forEachFeed(samples, job, compute, [&](const Feed& feed, std::vector<Tensor>&& outputs) {
    bool isNext = false;
    for (std::size_t i = 0; index > 0 && !isNext && i < places.size(); ++i) {
      const ValueId input = places[i].input;
      isNext = goesOn(inputOf(before, input), outputsBefore[i], inputOf(feed, input));
    }
    if (!isNext) starts.push_back(index);
    before = feed;
    outputsBefore = std::move(outputs);
    ++index;
  });
  return starts;
}

}  // namespace quantscope
