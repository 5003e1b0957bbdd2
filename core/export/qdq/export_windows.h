#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Neighbouring layers of the main graph, which are run by themselves on the float network's
/// values.
struct ExportWindow {
  std::string name;              ///< of its first layer
  std::vector<ValueId> inputs;   ///< values read from outside, without constants
  std::vector<ValueId> outputs;  ///< floats that others read
};

/// Cuts the network into windows of at least `nodes` nodes each, in order and without overlap.
/// Layers with a sub-graph and layers that cannot be computed are in no window, and end one.
/// `readAs` as in QdqModel: values that the written model lacks are no window's output.
std::vector<ExportWindow> cutIntoWindows(const Engine& engine, const QuantizedModel& model,
                                         const std::vector<ValueId>& readAs, std::size_t nodes);

/// Half of what may be between a value and its twin: one step of the grid at that number.
class StepSize {
 public:
  /// For a value of the model that is rounded behind its producer: the step of its grid (the
  /// largest of several); for a float format the step at the number itself; for any other value
  /// 1/127 of its largest magnitude.
  StepSize(const QuantizedModel& model, ValueId value, const Tensor& simulated);

  double at(double number) const;

 private:
  double m_step = 0;
  double m_relative = 0;  ///< of a float format: 2^−mantissa bits
};

}  // namespace quantscope
