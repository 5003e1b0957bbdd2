#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "training/checkpoint_store.h"

namespace quantscope {

/// Where a training of a window leaves its checkpoints: with the work, which a project keeps.
class WorkCheckpoint : public CheckpointStore {
 public:
  using Bytes = std::shared_ptr<const std::string>;
  /// Called on the thread that trains.
  using Keep = std::function<void(const Bytes&)>;

  /// `before`: the last one that was kept; null = none.
  WorkCheckpoint(Bytes before, Keep keep) : m_bytes(std::move(before)), m_keep(std::move(keep)) {}

  std::optional<std::string> read() const override {
    return m_bytes ? std::optional(*m_bytes) : std::nullopt;
  }
  void write(const std::string& bytes) override {
    m_bytes = std::make_shared<const std::string>(bytes);
    m_keep(m_bytes);
  }
  // Each is written into the project as a whole.
  double pace() const override { return 15; }
  // Work may have the checkpoint of one training, and begin another.
  std::string name() const override { return {}; }

 private:
  Bytes m_bytes;
  Keep m_keep;
};

}  // namespace quantscope
