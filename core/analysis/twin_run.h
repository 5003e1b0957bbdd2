#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/tensor_errors.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/execution.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// What a twin run needs to know of the model; made once, shared by all runs.
struct TwinSetup {
  static constexpr std::size_t kNoLayer = static_cast<std::size_t>(-1);

  const Engine& engine;
  const Plan& plan;
  const QuantizedModel& model;
  std::vector<ChannelAxis> channelAxes;      ///< by value
  std::vector<std::size_t> layerOfLead;      ///< by node; kNoLayer where it leads none
  std::vector<std::size_t> layerOfLast;      ///< by node
  std::vector<std::optional<Range>> ranges;  ///< by layer: what the histograms span

  TwinSetup(const Engine& engine, const Plan& plan, const QuantizedModel& model,
            std::vector<std::optional<Range>> histogramRanges);

  ValueId outputOf(std::size_t layer) const;
};

/// Equal bins over a layer's range; what lies outside counts in the first and last one.
struct OutputBins {
  static constexpr std::size_t kBins = 64;
  std::vector<std::uint32_t> reference;
  std::vector<std::uint32_t> quantized;
  std::uint64_t clipped = 0;  ///< float elements beyond what the output's grid represents
  std::uint64_t total = 0;
  double clippedSquares = 0;  ///< sum of their squared distances to what it represents
  Range range;                ///< of the finite float elements
};

/// What one feed's runs gave.
struct TwinErrors {
  /// [layer][sample]; a sample without sums was not computed.
  std::vector<std::vector<ChannelSums>> local;
  std::vector<std::vector<ChannelSums>> accumulated;
  std::vector<OutputBins> bins;  ///< by layer; empty vectors where the layer has none
  /// Graph outputs of the float and of the quantized run; undefined where not computed.
  std::vector<Tensor> referenceOutputs;
  std::vector<Tensor> quantizedOutputs;
};

/// Runs the float and the quantized network side by side, node by node, so that only the values
/// that are still needed are alive, and each quantized layer a third time on float inputs:
/// accumulated error against local error.
/// Throws Cancelled between two nodes once `job` was asked to stop.
TwinErrors runTwins(const TwinSetup& setup, const Feed& feed, const JobContext& job);

}  // namespace quantscope
