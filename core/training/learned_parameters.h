#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/training_quantizer.h"
#include "training/scale_form.h"
#include "training/training_graph.h"

namespace quantscope {

/// Learning rates per step of the optimizer: weights move by `weight` of their scale, scales by
/// that share of themselves, zero points by that many codes, biases by that share of the layer's
/// typical sums. 0 = not learned.
struct LearningRates {
  double weight = 0.01;
  double weightScale = 0.003;
  double activationScale = 0.01;
  double zeroPoint = 0.01;
  double bias = 0.01;
};

/// One array of numbers that the optimizer steps, with its moments.
struct LearnedArray {
  enum class Kind : unsigned char { Weight, Bias, WeightScale, ActivationScale, ZeroPoint };

  Kind kind = Kind::Weight;
  std::size_t owner = 0;  ///< layer in LinearLayers, or group
  bool free = true;
  bool held = false;  ///< not stepped for the time being
  double rate = 0;
  bool steps() const { return free && !held; }
  std::vector<float> values;
  std::vector<float> units;  ///< by element, or one for all: what the rate counts in
  std::vector<float> first;  ///< Adam's moments of the gradient
  std::vector<float> second;

  float unit(std::size_t element) const { return units[units.size() == 1 ? 0 : element]; }
};

/// Everything that a network learns: the numbers themselves, the tensors that its training graphs
/// read, and the way back from those tensors' cotangents to the numbers.
class LearnedParameters {
 public:
  struct Settings {
    ScaleForm scales = ScaleForm::Log;
    LearningRates rates;
    std::set<std::string> frozen;       ///< layers that stay as they are
    std::set<std::string> unquantized;  ///< layers whose weights are not rounded
    std::set<std::string> unobserved;   ///< layers whose scales and zero points stay
  };
  /// Values to step back to, by array.
  using Values = std::vector<std::vector<float>>;

  /// Starts from the grids of `state`, which must outlive it, like the layers. Those of encodings
  /// are learned like the others.
  LearnedParameters(const RepairState& state, const LinearLayers& layers, Settings settings);

  std::vector<LearnedArray>& arrays() { return m_arrays; }
  const std::vector<LearnedArray>& arrays() const { return m_arrays; }
  bool anyFree() const;
  /// Holds scales and zero points of these groups until it is called again.
  void hold(const std::set<std::size_t>& groups);
  Values values() const;
  void setValues(const Values& values);
  /// The values that they start from.
  const Values& start() const { return m_start; }
  /// True for values, or moments, of as many arrays and elements as there are here.
  bool fits(const Values& values) const;
  bool fitMoments(const Values& moments) const;

  /// The inputs of a training graph as the numbers are now. `noise`: rounds weights at random.
  std::vector<std::pair<ValueId, Tensor>> inputsOf(const TrainingGraph& graph,
                                                   const RoundingNoise* noise) const;
  /// True if any number behind this input is free and not held.
  bool isFree(const TrainingGraph& graph, ValueId input) const;

  /// ∂L/∂numbers by array, from the cotangents of a graph's inputs (undefined = zero).
  std::vector<std::vector<double>> gradients(const TrainingGraph& graph,
                                             std::span<const std::pair<ValueId, Tensor>> cotangents,
                                             const RoundingNoise* noise) const;

  /// What the first array with a gradient that is no number belongs to, empty where there is none.
  std::string whatHasNoNumber(const std::vector<std::vector<double>>& gradients) const;

  /// Adam (Kingma and Ba) with a step of rate·share·unit, `count` from 1 on; what is not free
  /// stays, bit for bit. Zero points stay within the codes. `movesScales`: whether scales and zero
  /// points are stepped.
  void step(const std::vector<std::vector<double>>& gradients, std::size_t count, double share,
            bool movesScales);
  void restartMoments();

  /// The grid of a layer's weight, and of a group, as the numbers are now.
  QuantParams weightParams(std::size_t layer) const;
  QuantParams rangeParams(std::size_t group) const;
  /// New constants and grids of all that was stepped.
  Overlay overlay() const;

 private:
  std::size_t indexOf(LearnedArray::Kind kind, std::size_t owner) const;
  const LearnedArray* find(LearnedArray::Kind kind, std::size_t owner) const;
  void addLayer(std::size_t index);
  void addRange(std::size_t group);
  bool mayMove(std::size_t group) const;
  bool onInputsOnly(std::size_t group) const;
  void addPoints(std::size_t group, const QuantParams& params, const PointName* but,
                 Overlay& overlay) const;
  void replaceEncodings(std::set<std::size_t> moved, Overlay& overlay) const;
  Tensor weightTensor(std::size_t layer, const RoundingNoise* noise) const;
  void weightGradients(std::size_t layer, const Tensor& cotangent, const RoundingNoise* noise,
                       std::vector<std::vector<double>>& gradients) const;
  void scaleGradients(const LearnedArray& array, const QuantParams& params,
                      std::span<const double> sums, std::size_t elements,
                      std::vector<double>& gradient) const;

  const RepairState& m_state;
  const LinearLayers& m_layers;
  Settings m_settings;
  std::vector<LearnedArray> m_arrays;
  Values m_start;
};

}  // namespace quantscope
