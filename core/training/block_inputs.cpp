#include "training/block_inputs.h"

namespace quantscope {

std::vector<SampleMaker> BlockInputs::part(bool heldBack,
                                           const std::vector<std::size_t>& targets) const {
  std::vector<SampleMaker> makers;
  for (const std::size_t feed : m_samples.feeds(heldBack)) makers.push_back(makerOf(feed, targets));
  return makers;
}

SampleMaker BlockInputs::makerOf(std::size_t feed, std::vector<std::size_t> targets) const {
  return [this, feed, targets = std::move(targets)] {
    TrainingSample sample = m_samples.sample(feed, targets);
    sample.inputs = inputsOf(block(), feed);
    return sample;
  };
}

void BlockInputs::pass(std::unique_ptr<TrainingNetwork> network, JobContext& job) {
  std::vector<SampleMaker> kept;
  for (std::size_t feed = 0; feed < m_samples.keptFeeds(); ++feed)
    kept.push_back(makerOf(feed, {}));
  m_kept = network->values(m_blocks[block()].outputs.front(), kept, job);
  Trained trained;
  if (m_samples.keptFeeds() < m_samples.count()) {
    trained.parameters = network->parameters();
    trained.network = std::move(network);
  }
  m_before.push_back(std::move(trained));
}

BoundTensors BlockInputs::inputsOf(std::size_t block, std::size_t feed) const {
  const ValueId input = m_blocks[block].input;
  if (!input.valid()) return m_samples.inputsOf(feed);
  if (feed < m_samples.keptFeeds()) return {{input, m_kept[feed]}};
  const Trained& before = m_before[block - 1];
  const ValueId output = m_blocks[block - 1].outputs.front();
  return {{input, before.network->value(output, inputsOf(block - 1, feed), before.parameters)}};
}

}  // namespace quantscope
