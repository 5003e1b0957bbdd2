#pragma once

#include <QStringList>
#include <QTemporaryDir>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope::test {

/// Calls a script of tests/peers with "node" or "python". Throws std::runtime_error with what it
/// wrote where it fails.
void callPeer(const QString& interpreter, const QString& script, const QStringList& arguments);

/// A run of ONNX Runtime: the feeds that it was given and every value of the main graph.
class PeerRun {
 public:
  struct Entry {
    QString name;
    QStringList files;  ///< one per sample
  };

  /// Runs the first `samples` samples of the .npz. Throws std::runtime_error with what the peer
  /// wrote where it fails.
  PeerRun(const QString& model, const QString& data, int samples);

  /// Empty where ONNX Runtime can be called, else what is missing.
  static QString missing();

  const std::vector<Entry>& inputs() const { return m_inputs; }
  const std::vector<Entry>& values() const { return m_values; }
  std::size_t samples() const;
  Tensor read(const Entry& entry, std::size_t sample) const;

 private:
  QTemporaryDir m_directory;
  std::vector<Entry> m_inputs;
  std::vector<Entry> m_values;
};

}  // namespace quantscope::test
