#include "training/training_losses.h"

#include <algorithm>

#include "analysis/errors/class_scores.h"
#include "analysis/twin_setup.h"

namespace quantscope {

TrainingLosses::TrainingLosses(const Engine& engine, const std::vector<NetworkBlock>& blocks)
    : m_engine(engine), m_blocks(blocks), m_values(findValues()) {}

// The network's outputs and the blocks', those that are floats that something computes.
std::vector<ValueId> TrainingLosses::findValues() const {
  const Graph& graph = m_engine.graph();
  std::vector<ValueId> values;
  const auto add = [&](ValueId value) {
    const std::optional<ElementType>& type = graph[value].type.element;
    const bool counts = m_engine.constant(value) == nullptr && (!type || isFloat(*type));
    if (counts && std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  for (const ValueId output : graph.outputs()) {
    add(output);
    add(scoresOf(output));
  }
  for (const NetworkBlock& block : m_blocks) std::ranges::for_each(block.outputs, add);
  return values;
}

bool TrainingLosses::isOutput(ValueId value) const {
  const std::span<const ValueId> outputs = m_engine.graph().outputs();
  return std::ranges::find(outputs, value) != outputs.end();
}

bool TrainingLosses::isBlockEnd(ValueId value) const {
  return std::ranges::any_of(m_blocks, [&](const NetworkBlock& block) {
    return std::ranges::find(block.outputs, value) != block.outputs.end();
  });
}

LossTerms TrainingLosses::squaresOf(std::size_t value, double weight,
                                    const TrainingSamples& samples) const {
  LossTerms terms;
  terms.value = m_values[value];
  terms.squares = weight;
  terms.power = samples.power(value);
  return terms;
}

std::vector<LossTerms> TrainingLosses::networkTerms(const TrainingSamples& samples,
                                                    const TrainingSettings& settings) const {
  std::vector<LossTerms> terms;
  const double eachBlock = settings.blockWeight / static_cast<double>(m_blocks.size());
  for (std::size_t i = 0; i < m_values.size(); ++i) {
    terms.push_back(squaresOf(i,
                              isOutput(m_values[i])     ? 1
                              : isBlockEnd(m_values[i]) ? eachBlock
                                                        : 0,
                              samples));
  }
  const std::span<const ValueId> outputs = m_engine.graph().outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    addScores(outputs[i], i == 0, samples, settings, terms);
  return terms;
}

// For probabilities the scores before them count: where probabilities are rounded to 0, their
// divergence has no useful slope.
ValueId TrainingLosses::scoresOf(ValueId output) const {
  const Graph& graph = m_engine.graph();
  return comesFromSoftmax(graph, output) ? graph[graph[output].producer].inputs[0] : output;
}

void TrainingLosses::addScores(ValueId output, bool isFirst, const TrainingSamples& samples,
                               const TrainingSettings& settings,
                               std::vector<LossTerms>& terms) const {
  const auto place = std::ranges::find(m_values, output);
  const auto scores = std::ranges::find(m_values, scoresOf(output));
  if (place == m_values.end() || scores == m_values.end()) return;
  const auto index = static_cast<std::size_t>(place - m_values.begin());
  if (!classCount(samples.firstTarget(index), samples.batch())) return;
  terms[index].squares = settings.outputWeight;
  LossTerms& term = terms[static_cast<std::size_t>(scores - m_values.begin())];
  term.divergence = 1;
  term.temperature = settings.scoreTemperature;
  if (samples.anyLabels() && isFirst) term.labels = settings.labelWeight;
}

std::vector<std::size_t> TrainingLosses::indicesOf(const std::vector<ValueId>& values) const {
  std::vector<std::size_t> indices;
  for (const ValueId value : values) {
    const auto found = std::ranges::find(m_values, value);
    if (found == m_values.end()) continue;
    indices.push_back(static_cast<std::size_t>(found - m_values.begin()));
  }
  return indices;
}

}  // namespace quantscope
