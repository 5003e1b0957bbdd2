#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/files/output_folder.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/applied_quantization.h"
#include "jobs/load_model.h"

namespace quantscope {

/// One value that a run has written.
struct WrittenValue {
  std::string name;
  std::vector<std::string> files;   ///< one, or one per sample where the shape varies
  std::vector<std::int64_t> shape;  ///< of the stacked array; empty where the shape varies
  std::string dtype;
};

/// NaN and ±Inf among the samples of one of the model's inputs.
struct NonFiniteInput {
  std::string name;
  std::size_t count = 0;
};

struct RunResult {
  std::vector<WrittenValue> values;
  std::vector<NonFiniteInput> nonFinite;  ///< of inputs that had any
};

/// {"values": [{"name", "file", "shape", "dtype"}]}, with "files" and a null shape where it varies.
nlohmann::ordered_json manifestJson(const std::vector<WrittenValue>& values);

/// Names of the values that `selection` asks for: "outputs", "all" (every computed value), or a
/// list separated by commas. Throws InvalidParameters for a name that the model does not have.
std::vector<ValueId> selectValues(const Graph& graph, const std::string& selection);

/// Runs every sample and writes each wanted value as one `.npy`, samples stacked on a new axis 0,
/// and `manifest.json`. `quantization` may be null: the float run. Everything appears at the end;
/// an error or a cancelled job leaves nothing behind. Wanted values that no sample computed are
/// left out; throws UnsupportedOperation where none is left. Samples that are not finite, if the
/// source accepts them, are computed and counted. `beforeWriting` (optional) is called when all is
/// computed, before anything appears; what it throws leaves nothing behind either.
RunResult runModel(const LoadedModel& model, SampleSource& source,
                   const std::vector<ValueId>& wanted, const AppliedQuantization* quantization,
                   OutputFolder& out, JobContext& job,
                   const std::function<void()>& beforeWriting = {});

}  // namespace quantscope
