#pragma once

#include <memory>
#include <vector>

#include "training/network_blocks.h"
#include "training/training_samples.h"

namespace quantscope {

/// What reaches a block through the trained blocks before it, while one block after another is
/// trained. Of feeds that the samples keep it is kept; of the others it is computed again, through
/// all blocks before.
class BlockInputs {
 public:
  /// Both must outlive it. Begins with the first block.
  BlockInputs(const std::vector<NetworkBlock>& blocks, const TrainingSamples& samples)
      : m_blocks(blocks), m_samples(samples) {}

  /// The samples of the block to train on, or those held back, to these targets. They hold until
  /// the next pass().
  std::vector<SampleMaker> part(bool heldBack, const std::vector<std::size_t>& targets) const;
  /// Goes on to the next block: `network` is the block's, trained, whose parameters stay.
  void pass(std::unique_ptr<TrainingNetwork> network, JobContext& job);

 private:
  struct Trained {
    std::unique_ptr<TrainingNetwork> network;
    BoundTensors parameters;
  };

  std::size_t block() const { return m_before.size(); }
  SampleMaker makerOf(std::size_t feed, std::vector<std::size_t> targets) const;
  BoundTensors inputsOf(std::size_t block, std::size_t feed) const;

  const std::vector<NetworkBlock>& m_blocks;
  const TrainingSamples& m_samples;
  std::vector<Trained> m_before;  // empty ones where all feeds are kept
  std::vector<Tensor> m_kept;     // by feed, of the block at hand
};

}  // namespace quantscope
