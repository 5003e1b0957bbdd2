#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace quantscope {

/// Where a training leaves its checkpoints, the last in the place of the one before.
class CheckpointStore {
 public:
  virtual ~CheckpointStore() = default;

  /// Nothing where there is none. Throws Error(Io).
  virtual std::optional<std::string> read() const = 0;
  /// Throws Error(Io).
  virtual void write(const std::string& bytes) = 0;
  /// Least time between two of them, in seconds, but for the last one.
  virtual double pace() const = 0;
  /// For messages, where a checkpoint of another training is refused; empty where it is passed over
  /// and replaced.
  virtual std::string name() const = 0;
};

/// A file of the user's.
class CheckpointFile : public CheckpointStore {
 public:
  explicit CheckpointFile(std::filesystem::path file) : m_file(std::move(file)) {}

  /// Before there is anything to lose: throws Error(Io) where it cannot be written. Leaves
  /// a file that is there as it is.
  void requireWritable() const;
  std::optional<std::string> read() const override;
  /// At once or not at all.
  void write(const std::string& bytes) override;
  double pace() const override { return 1; }
  std::string name() const override { return m_file.string(); }

 private:
  std::filesystem::path m_file;
};

}  // namespace quantscope
