#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/errors/error_metrics.h"
#include "base/ids.h"
#include "precision/backend/backend_check.h"
#include "quant/granularity.h"
#include "quant/quant_type.h"

namespace quantscope {

/// One kind of error of one layer.
struct LayerError {
  ErrorMetrics total;                 ///< over all samples
  std::vector<double> channelSqnrDb;  ///< per index of the value's channel axis; may be empty
  std::vector<float> sampleSqnrDb;    ///< per sample
};

/// The parts of a layer's own error. Each part is Σ(y − ŷ)² / Σy² of the layer's output over all
/// samples, on the float run's values, with that part alone quantized; 0 where the layer has no
/// such part.
struct ErrorBudget {
  double input = 0;     ///< rounding on its input edges; nothing is clipped
  double weight = 0;    ///< its weights
  double bias = 0;      ///< an integer bias
  double output = 0;    ///< rounding of its output; nothing is clipped
  double clipping = 0;  ///< inputs and output cut off where their grids end; nothing is rounded
  /// The layer's own error beyond the sum of the parts, from their interaction. May be
  /// negative.
  double together = 0;

  friend bool operator==(const ErrorBudget&, const ErrorBudget&) = default;
};

/// The distribution of a layer's output over the calibrated range, cut into equal bins.
struct OutputHistogram {
  float low = 0;
  float high = 0;
  std::vector<std::uint64_t> reference;  ///< counts of the float run
  std::vector<std::uint64_t> quantized;  ///< counts of the fully quantized run
};

/// The type of a layer's weights or activations.
struct AppliedType {
  QuantType type = QuantType::Float32;
  Granularity granularity;
  bool symmetric = true;
  bool dynamic = false;
};

/// One row of every table: a node, or a fused pattern named by its leading node.
struct LayerResult {
  NodeId node;
  std::vector<NodeId> members;  ///< the pattern's nodes in order; just `node` where not fused
  std::string name;
  std::string op;        ///< operator of the leading node
  std::string fusedOps;  ///< "Conv+BatchNormalization+Relu"
  std::string scope;
  std::string outputValue;      ///< the value that is compared
  int channelAxis = -1;         ///< of that value; −1 = none
  std::int64_t parameters = 0;  ///< elements of constant inputs
  bool quantized = false;
  bool dataMover = false;                 ///< only moves data: shares its input's parameters
  std::optional<AppliedType> weight;      ///< where the layer has weights
  std::optional<AppliedType> activation;  ///< of its input edges
  std::optional<AppliedType> output;
  std::optional<double> outputScale;  ///< of a per-tensor integer output
  std::size_t biasOverflows = 0;      ///< bias elements beyond int32, clamped
  /// Range of the output over the calibration data; absent where it was not observed.
  std::optional<double> observedMin;
  std::optional<double> observedMax;
  /// Smallest and largest number that the output's grid can represent.
  std::optional<double> representableMin;
  std::optional<double> representableMax;
  std::optional<double> clippedShare;  ///< of the float output's elements, 0 … 1
  /// Mean squared distance of the float output's elements to the range of the grid.
  std::optional<double> clippedSquare;
  /// Range of the float output over the analysed data; absent where it is not compared.
  std::optional<double> analysedMin;
  std::optional<double> analysedMax;
  std::optional<LayerError> local;        ///< absent where not quantized or not computed
  std::optional<LayerError> accumulated;  ///< absent where not computed
  /// The error of the worst output of the network with this layer alone quantized; absent if not
  /// requested.
  std::optional<LayerError> contribution;
  std::optional<OutputHistogram> histogram;
  std::optional<ErrorBudget> budget;  ///< of `local`; absent where it was not asked for
};

/// Error at an output of the network.
struct OutputResult {
  std::string value;
  ErrorMetrics error;
  std::vector<float> sampleSqnrDb;
  /// By sample, the class with the highest score; empty if the output has no class scores.
  std::vector<std::int32_t> floatClasses;
  std::vector<std::int32_t> quantizedClasses;
  std::optional<double> kl;             ///< mean over samples, in nats; class scores only
  std::optional<double> top1Agreement;  ///< 0 … 1
  std::optional<double> accuracyFloat;  ///< 0 … 1, over the labelled samples
  std::optional<double> accuracyQuantized;
  std::uint64_t labelled = 0;  ///< samples with a label; 0 where it is not known
};

/// Something that could not be computed, and why.
struct NotComputed {
  std::string node;
  std::string op;
  std::string domain;
  int version = 0;
  std::string reason;
};

/// An output of the network with only a part of the model quantized.
struct LadderStep {
  std::string value;
  std::optional<double> weightsOnlyDb;      ///< SQNR with weights and biases alone
  std::optional<double> activationsOnlyDb;  ///< with all else
  std::optional<double> bothDb;
};

/// Figures of the whole model.
struct QuantizationSummary {
  std::vector<std::pair<std::string, std::size_t>> nodesByType;  ///< weight type → layers
  std::size_t quantizedLayers = 0;
  double meanCompression = 1;  ///< mean over quantized weights of 32 / bits
  double trueCompression = 1;  ///< float bytes / quantized bytes of all constants, scales counted
  double memorySavedBytes = 0;
  double memorySavedPercent = 0;  ///< of the float bytes
  std::size_t floatBytes = 0;
  std::size_t quantizedBytes = 0;
  std::size_t calibrationSamples = 0;
  /// Share, 0 … 1, of the multiply-accumulates that run above 8 bits: with weights or activations
  /// of more than 8 bits, or in float. Absent where calibration counted none.
  std::optional<double> macsAbove8Bits;
};

/// The result of an analysis; all reports and views show it.
struct AnalysisResult {
  std::string model;  ///< file name without its folder
  std::string data;   ///< where the samples came from
  std::string calibrationData;
  std::string backend;
  std::string scheme;  ///< the default in words: "weights int8 symmetric per-channel, …"
  std::size_t samples = 0;
  bool synthetic = false;
  std::vector<LayerResult> layers;  ///< in execution order
  std::vector<OutputResult> outputs;
  std::vector<LadderStep> ladder;  ///< by output; empty where it was not asked for
  std::vector<NotComputed> notComputed;
  std::vector<NotSupported> notSupported;  ///< asked of the backend, and simulated all the same
  std::vector<std::string> notices;        ///< oddities of the configuration, in sentences
  QuantizationSummary summary;
};

}  // namespace quantscope
