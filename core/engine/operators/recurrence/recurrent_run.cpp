#include "engine/operators/recurrence/recurrent_run.h"

#include <algorithm>

namespace quantscope {
namespace {

// One direction on its way through the steps.
class DirectionRun {
 public:
  DirectionRun(const RecurrentCell& cell, const RecurrentExtents& extents,
               const RecurrentDirection& direction)
      : m_cell(cell),
        m_extents(extents),
        m_direction(direction),
        m_products(static_cast<std::size_t>(extents.rows() * extents.sums())),
        m_scratch(static_cast<std::size_t>(extents.rows() * extents.hidden)),
        m_inputs(static_cast<std::size_t>(extents.samples)) {}

  void run(RecurrentStates& states, RecurrentStates& cellStates, Tensor& y) {
    const RecurrentStep step{.samples = m_extents.samples,
                             .hidden = m_extents.hidden,
                             .rows = m_extents.rows(),
                             .inputs = m_inputs,
                             .recurrentWeights = m_direction.recurrentWeights,
                             .recurrentBias = m_direction.recurrentBias,
                             .peepholes = m_direction.peepholes,
                             .state = states.data(),
                             .cellState = cellStates.data(),
                             .products = m_products.data(),
                             .scratch = m_scratch.data()};
    const bool ragged = !m_extents.lengths.empty();
    for (std::int64_t t = 0; t < m_extents.steps; ++t) {
      gatherInputs(t);
      if (ragged) states.hold();
      if (ragged) cellStates.hold();
      m_cell.step(step, m_direction.activations);
      scatterOutputs(t, states, cellStates, y);
    }
  }

 private:
  // The place in a sample's sequence that step `t` works on.
  std::int64_t place(std::int64_t t, std::int64_t sample) const {
    return m_direction.backwards ? m_extents.length(sample) - 1 - t : t;
  }

  void gatherInputs(std::int64_t t) {
    for (std::int64_t sample = 0; sample < m_extents.samples; ++sample) {
      // A sample that has ended takes part with any row; keepFor() undoes it.
      const std::int64_t from = t < m_extents.length(sample) ? place(t, sample) : 0;
      m_inputs[static_cast<std::size_t>(sample)] =
          m_direction.sums + m_extents.inputRow(from, sample) * m_extents.sums();
    }
  }

  void scatterOutputs(std::int64_t t, RecurrentStates& states, RecurrentStates& cellStates,
                      Tensor& y) const {
    float* target = y.mutableValues<float>().data();
    for (std::int64_t sample = 0; sample < m_extents.samples; ++sample) {
      const bool ended = t >= m_extents.length(sample);
      const std::int64_t to = ended ? t : place(t, sample);
      float* row = target + m_extents.outputRow(m_direction.index, to, sample) * m_extents.hidden;
      if (ended) {
        states.keepFor(sample);
        if (m_cell.hasCellState()) cellStates.keepFor(sample);
        std::fill_n(row, m_extents.hidden, 0.0F);
      } else {
        std::ranges::copy(states.of(sample), row);
      }
    }
  }

  const RecurrentCell& m_cell;
  const RecurrentExtents& m_extents;
  const RecurrentDirection& m_direction;
  std::vector<float> m_products;
  std::vector<float> m_scratch;
  std::vector<float*> m_inputs;
};

}  // namespace

Shape RecurrentExtents::outputShape() const {
  return batchFirst ? Shape{samples, steps, directions, hidden}
                    : Shape{steps, directions, samples, hidden};
}

Shape RecurrentExtents::stateShape() const {
  return batchFirst ? Shape{samples, directions, hidden} : Shape{directions, samples, hidden};
}

RecurrentStates::RecurrentStates(const RecurrentExtents& extents, std::int64_t direction,
                                 const Tensor& initial)
    : m_extents(extents),
      m_direction(direction),
      m_states(static_cast<std::size_t>(extents.rows() * extents.hidden)) {
  if (!initial.defined()) return;
  const float* from = initial.values<float>().data();
  for (std::int64_t sample = 0; sample < extents.samples; ++sample) {
    std::copy_n(from + extents.stateRow(direction, sample) * extents.hidden, extents.hidden,
                m_states.data() + sample * extents.hidden);
  }
}

std::span<const float> RecurrentStates::of(std::int64_t sample) const {
  return {m_states.data() + sample * m_extents.hidden, static_cast<std::size_t>(m_extents.hidden)};
}

void RecurrentStates::keepFor(std::int64_t sample) {
  const std::int64_t first = sample * m_extents.hidden;
  std::copy_n(m_held.data() + first, m_extents.hidden, m_states.data() + first);
}

void RecurrentStates::store(Tensor& target) const {
  float* to = target.mutableValues<float>().data();
  for (std::int64_t sample = 0; sample < m_extents.samples; ++sample) {
    std::ranges::copy(of(sample), to + m_extents.stateRow(m_direction, sample) * m_extents.hidden);
  }
}

void runDirection(const RecurrentCell& cell, const RecurrentExtents& extents,
                  const RecurrentDirection& direction, RecurrentStates& states,
                  RecurrentStates& cellStates, Tensor& y) {
  DirectionRun(cell, extents, direction).run(states, cellStates, y);
}

}  // namespace quantscope
