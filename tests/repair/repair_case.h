#pragma once

#include <string_view>

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "base/workers.h"
#include "repair/recipe.h"

namespace quantscope::test {

/// Two convolutions with a ReLU6 between, which cuts some of their channels off.
inline constexpr const char* kClipped = R"(
  input x:float[1,3,4,4]
  w:float[4,3,1,1]{1, 0.5, -0.5,  4, 2, 1,  0.25, 0.1, 0.2,  16, 3, -8}
  a = Conv(x, w) @first
  c = Clip(a, l:float[]{0}, h:float[]{6}) @clip
  v:float[2,4,1,1]{1, 0.25, 2, -0.0625,  -0.5, 0.125, 4, 0.03125}
  y = Conv(c, v) @second
  output y
)";

/// Weights with one scale per tensor, all else as the default backend has it.
inline constexpr const char* kPerTensor =
    R"({"quantscope": 1, "default": {"weight": {"granularity": "per-tensor"}}})";
/// Weights of four bits with one scale per tensor.
inline constexpr const char* kFourBitsPerTensor =
    R"({"quantscope": 1, "backend": "generic",
        "default": {"weight": {"type": "int4", "granularity": "per-tensor"}}})";

/// A small network with samples, calibrated and quantized, ready to be repaired.
struct RepairCase {
  /// `text` as for graphFromText(); `config` as in a file; normally distributed samples.
  RepairCase(std::string_view text, std::string_view config, std::size_t samples = 16,
             int threads = 2);
  /// On given samples.
  RepairCase(std::string_view text, std::string_view config, std::vector<Tensor> samples,
             int threads = 2);

  RepairTools tools() { return {*data, *data, settings, memory, job}; }
  LinearLayers layers() const { return findLinearLayers(*state.engine, *state.model); }
  /// With normalizations folded, as steps get it.
  RepairState folded();
  RepairResult repair(const RepairRequest& request = {});
  /// The first output of every sample under a state's quantization, or of its float engine.
  std::vector<Tensor> outputs(const RepairState& of, bool quantized) const;

  Workers workers;
  JobContext job;
  AnalysisMemory memory{std::size_t{128} << 20};
  ObservationSettings settings;
  std::shared_ptr<SampleSet> data;
  RepairState state;
};

/// 10·log10(Σx² / Σ(x − y)²) over all.
double sqnrOf(const std::vector<Tensor>& x, const std::vector<Tensor>& y);

}  // namespace quantscope::test
