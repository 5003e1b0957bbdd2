#include "engine/gradients/reverse_schedule.h"

#include <algorithm>

namespace quantscope {
namespace {

// More segments hold more values at their borders than they save inside.
constexpr std::size_t kMostSegments = 48;

class Scheduler {
 public:
  Scheduler(const Engine& engine, const ReversePath& path, std::span<const ValueId> outputs)
      : m_engine(engine),
        m_path(path),
        m_outputs(outputs),
        m_position(engine.graph().values().size(), 0),
        m_computed(m_position.size()) {
    const Graph& graph = engine.graph();
    for (std::size_t i = 0; i < path.stops().size(); ++i) {
      for (const ValueId output : graph[path.stops()[i].node].outputs) {
        if (!output.valid() || engine.constant(output) != nullptr) continue;
        m_position[output.at()] = i;
        m_computed[output.at()] = 1;
      }
    }
  }

  ReverseSchedule make(const std::vector<std::size_t>& cuts,
                       const std::vector<std::size_t>& bytes) const {
    ReverseSchedule schedule;
    schedule.kept.assign(m_position.size(), 0);
    std::size_t first = 0;
    for (std::size_t i = 0; i <= cuts.size(); ++i) {
      const std::size_t end = i < cuts.size() ? cuts[i] : m_path.stops().size();
      schedule.segments.push_back({first, end, {}, nullptr});
      if (i < cuts.size() || i > 0) findGiven(schedule.segments.back());
      first = end;
    }
    for (const ReverseSchedule::Segment& segment : schedule.segments) {
      for (const ValueId value : segment.given) schedule.kept[value.at()] = 1;
    }
    for (const ValueId value : elementsOf(schedule.segments.back())) {
      schedule.kept[value.at()] = 1;
    }
    schedule.bytes = heldBytes(schedule, bytes);
    return schedule;
  }

  // Adds the plans to run, which take longer to find than the values to hold.
  void addPlans(ReverseSchedule& schedule) const {
    PlanRequest request;
    const std::span<const ValueId> inputs = m_engine.graph().inputs();
    request.given.assign(inputs.begin(), inputs.end());
    request.wanted.assign(m_outputs.begin(), m_outputs.end());
    for (const ValueId value : m_path.seen()) request.wanted.push_back(value);
    for (std::size_t i = 0; i < schedule.kept.size(); ++i) {
      if (schedule.kept[i] != 0) request.wanted.emplace_back(i);
    }
    std::erase_if(request.wanted, [this](ValueId value) { return m_computed[value.at()] == 0; });
    schedule.forward = std::make_shared<const Plan>(m_engine, request);
    for (std::size_t i = 0; i + 1 < schedule.segments.size(); ++i) {
      ReverseSchedule::Segment& segment = schedule.segments[i];
      PlanRequest again;
      again.given.assign(inputs.begin(), inputs.end());
      again.given.insert(again.given.end(), segment.given.begin(), segment.given.end());
      for (const ValueId value : elementsOf(segment)) {
        if (schedule.kept[value.at()] == 0) again.wanted.push_back(value);
      }
      if (!again.wanted.empty()) segment.plan = std::make_shared<const Plan>(m_engine, again);
    }
  }

  // Cuts where the needed bytes before them are i/count of all, moved to where the fewest cross.
  std::vector<std::size_t> cutsInto(std::size_t count,
                                    const std::vector<std::size_t>& bytes) const {
    std::vector<std::size_t> upTo(m_path.stops().size() + 1);
    for (std::size_t i = 0; i < m_path.stops().size(); ++i) {
      std::size_t here = 0;
      for (const ValueId output : m_engine.graph()[m_path.stops()[i].node].outputs) {
        if (output.valid()) here += bytes[output.at()];
      }
      upTo[i + 1] = upTo[i] + here;
    }
    const std::vector<std::size_t> crossing = crossingBytes(bytes);
    std::vector<std::size_t> cuts;
    const std::size_t all = upTo.back();
    for (std::size_t i = 1; i < count; ++i) {
      const auto at = [&](std::size_t share) {
        return static_cast<std::size_t>(std::ranges::lower_bound(upTo, share) - upTo.begin());
      };
      const std::size_t low = at(all / count * i - all / count / 4);
      const std::size_t high = std::min(at(all / count * i + all / count / 4), upTo.size() - 2);
      std::size_t best = std::min(at(all / count * i), high);
      for (std::size_t cut = low; cut <= high; ++cut) {
        if (crossing[cut] < crossing[best]) best = cut;
      }
      if (best > (cuts.empty() ? 0 : cuts.back()) && best < m_path.stops().size()) {
        cuts.push_back(best);
      }
    }
    return cuts;
  }

 private:
  // Bytes of values that are made before a position and read at or behind it.
  std::vector<std::size_t> crossingBytes(const std::vector<std::size_t>& bytes) const {
    const Graph& graph = m_engine.graph();
    std::vector<std::size_t> last(m_position.size());
    for (std::size_t i = 0; i < m_path.stops().size(); ++i) {
      for (const ValueId value : readValues(graph, m_path.stops()[i].node)) last[value.at()] = i;
      for (const ValueId value : m_path.stops()[i].elements) {
        last[value.at()] = std::max(last[value.at()], i);
      }
    }
    std::vector<std::int64_t> change(m_path.stops().size() + 2);
    for (std::size_t i = 0; i < m_position.size(); ++i) {
      if (m_computed[i] == 0 || last[i] <= m_position[i]) continue;
      change[m_position[i] + 1] += static_cast<std::int64_t>(bytes[i]);
      change[last[i] + 1] -= static_cast<std::int64_t>(bytes[i]);
    }
    std::vector<std::size_t> crossing(change.size());
    std::int64_t now = 0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      now += change[i];
      crossing[i] = static_cast<std::size_t>(now);
    }
    return crossing;
  }

  std::vector<ValueId> elementsOf(const ReverseSchedule::Segment& segment) const {
    std::vector<ValueId> values;
    for (std::size_t i = segment.first; i < segment.end; ++i) {
      for (const ValueId value : m_path.stops()[i].elements) {
        if (m_computed[value.at()] != 0) values.push_back(value);
      }
    }
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    return values;
  }

  // Goes backwards from the values that the segment needs to those made before it.
  void findGiven(ReverseSchedule::Segment& segment) const {
    const Graph& graph = m_engine.graph();
    std::vector<ValueId> open = elementsOf(segment);
    std::vector<char> visited(m_position.size());
    for (const ValueId value : open) visited[value.at()] = 1;
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (m_position[value.at()] < segment.first) {
        segment.given.push_back(value);
        continue;
      }
      for (const ValueId read : readValues(graph, graph[value].producer)) {
        if (m_computed[read.at()] == 0 || visited[read.at()] != 0) continue;
        visited[read.at()] = 1;
        open.push_back(read);
      }
    }
    std::ranges::sort(segment.given);
  }

  std::size_t heldBytes(const ReverseSchedule& schedule,
                        const std::vector<std::size_t>& bytes) const {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < schedule.kept.size(); ++i) {
      if (schedule.kept[i] != 0) kept += bytes[i];
    }
    std::size_t most = 0;
    for (std::size_t i = 0; i + 1 < schedule.segments.size(); ++i) {
      std::size_t inside = 0;
      for (const ValueId value : elementsOf(schedule.segments[i])) {
        if (schedule.kept[value.at()] == 0) inside += bytes[value.at()];
      }
      most = std::max(most, inside);
    }
    return kept + most;
  }

  const Engine& m_engine;
  const ReversePath& m_path;
  std::span<const ValueId> m_outputs;
  std::vector<std::size_t> m_position;  // by value: of the node that makes it
  std::vector<char> m_computed;         // by value: by a node of the main graph, in every run
};

}  // namespace

ReverseSchedule wholeSchedule(const Engine& engine, const ReversePath& path,
                              std::span<const ValueId> outputs) {
  const Scheduler scheduler(engine, path, outputs);
  ReverseSchedule schedule =
      scheduler.make({}, std::vector<std::size_t>(engine.graph().values().size()));
  scheduler.addPlans(schedule);
  return schedule;
}

ReverseSchedule scheduleWithin(const Engine& engine, const ReversePath& path,
                               std::span<const ValueId> outputs,
                               const std::vector<std::size_t>& bytes, std::size_t budget) {
  const Scheduler scheduler(engine, path, outputs);
  ReverseSchedule best = scheduler.make({}, bytes);
  for (std::size_t count = 2; best.bytes > budget && count <= kMostSegments; ++count) {
    ReverseSchedule next = scheduler.make(scheduler.cutsInto(count, bytes), bytes);
    if (next.bytes < best.bytes) best = std::move(next);
  }
  scheduler.addPlans(best);
  return best;
}

}  // namespace quantscope
