#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "jobs/load_model.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// How an output of an exported model, run by ONNX Runtime, agrees with the simulation.
struct OnnxRuntimeOutput {
  std::string value;
  std::optional<double> toSimulationDb;           ///< without graph optimizations
  std::optional<double> optimizedToSimulationDb;  ///< with all of them, the runtime's default
  std::optional<double> top1;                     ///< share of samples of the same class, without
  std::optional<double> optimizedTop1;            ///< likewise, with
};

/// An exported model in ONNX Runtime.
struct OnnxRuntimeAgreement {
  std::string version;  ///< "1.30.0"
  std::size_t samples = 0;
  std::vector<OnnxRuntimeOutput> outputs;  ///< the model's float outputs
  std::string optimizedProblem = {};       ///< why it does not run with optimizations
  std::string problem;                     ///< why it was not run
};

/// Runs an exported model, the bytes of an ONNX file, with ONNX Runtime's package for Node on up to
/// `samples` samples, beside the simulation `quantized`. `modules` as in askOnnxRuntime(), whose
/// errors it throws.
OnnxRuntimeAgreement runInOnnxRuntime(const LoadedModel& model, const QuantizedModel& quantized,
                                      const std::string& bytes, SampleSource& source,
                                      std::size_t samples,
                                      const std::optional<std::filesystem::path>& modules,
                                      JobContext& job);

/// {"version", "samples", "outputs": [{"value", "to_simulation_db", "optimized_to_simulation_db",
/// "top1_agreement"}], "notes", "optimized_problem"} or {"problem"}
nlohmann::ordered_json onnxRuntimeJson(const OnnxRuntimeAgreement& agreement);

/// "ONNX Runtime 1.30.0: output logits to 41.2 dB of what was shown, with its optimizations 41.0
/// dB; top-1 100.0 % equal", a line per output; or why it was not run.
std::string onnxRuntimeText(const OnnxRuntimeAgreement& agreement);

}  // namespace quantscope
