#pragma once

#include <cstdint>
#include <optional>

#include "engine/repetition/repetition.h"

namespace quantscope {

/// The settings of a Scan, independent of its inputs. Inputs and outputs of node and body alike:
/// the states, then what is scanned or collected along an axis.
struct ScanSettings {
  struct Stream {
    std::int64_t axis = 0;  ///< of the node's value; counts from the back where negative
    bool backward = false;
    ValueType type;  ///< of an output: what is known of one run's
  };
  std::size_t states = 0;
  std::vector<Stream> inputs;
  std::vector<Stream> outputs;
};

/// Reads a Scan of version 9 or later. Throws InvalidModel where the node and its body do not fit.
ScanSettings scanSettings(const Graph& graph, const Node& node);

/// ONNX's Scan: the body runs once for every index of an axis.
class Scan final : public Repetition {
 public:
  /// `length`: how many indices are scanned; all of them where none is given. Throws InvalidModel
  /// where inputs are missing or differ in length.
  Scan(ScanSettings settings, std::span<const Tensor> inputs,
       std::optional<std::int64_t> length = {});

  bool running() const override { return m_index < m_length; }
  std::vector<Tensor> bodyInputs() const override;
  void finish(std::span<const Tensor> bodyOutputs) override;
  std::vector<Tensor> results() const override;

 private:
  ScanSettings m_settings;
  std::vector<Tensor> m_states;
  std::vector<Tensor> m_scanned;
  std::vector<std::vector<Tensor>> m_collected;
  std::int64_t m_length = -1;
  std::int64_t m_index = 0;
};

}  // namespace quantscope
