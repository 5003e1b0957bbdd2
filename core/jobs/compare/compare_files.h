#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files/output_folder.h"
#include "compare/compare_models.h"
#include "engine/applied_quantization.h"
#include "export/json/comparison_json.h"
#include "jobs/load_model.h"

namespace quantscope {

/// A comparison with the figures of the models as wholes.
struct ComparedFiles {
  ModelComparison comparison;
  ComparisonHeadline headline;
};

/// Compares two models, and times them: with ONNX Runtime where timeWithOnnxRuntime() finds it, by
/// `onnxRuntime` or by itself, else by the cost table. Throws what compareModels() throws.
ComparedFiles compareLoaded(const LoadedModel& first, const LoadedModel& second,
                            SampleSource& source, const Labels& labels, const NamedMatches& byHand,
                            JobContext& job,
                            const std::optional<std::filesystem::path>& onnxRuntime = {});

/// Compares dumps of a device with a run under `applied` where that is not null. Throws what
/// compareDumps() and DumpFolder throw, and InvalidData for dumps that have changed meanwhile.
ComparedFiles compareWithDumps(const LoadedModel& model, const AppliedQuantization* applied,
                               const std::filesystem::path& dumps, SampleSource& source,
                               const Labels& labels, const NamedMatches& byHand, JobContext& job);

/// The text of compare.json.
std::string comparisonFile(const ComparedFiles& compared);

/// The texts of a comparison.
struct ComparisonReport {
  std::string text;  ///< for a terminal
  std::string json;  ///< compare.json
};

/// Writes compare.json of what compareLoaded() found. Throws Io; nothing is left behind then.
ComparisonReport writeComparison(const ComparedFiles& compared, OutputFolder& out, JobContext& job);

/// The same for compareWithDumps().
ComparisonReport writeDumpComparison(const ComparedFiles& compared, OutputFolder& out,
                                     JobContext& job);

/// Corrections by hand: {"matched": [{"float": NAME, "quantized": NAME}]}, null for a name = the
/// other value has no match; other keys do not count, so that a compare.json can be edited and
/// given back. Throws InvalidConfiguration naming the entry, and Io.
NamedMatches readMatches(const std::filesystem::path& file);

}  // namespace quantscope
