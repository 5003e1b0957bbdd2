#include "jobs/compare/compare_files.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/input_file.h"
#include "compare/dumps/compare_dumps.h"
#include "compare/estimate_times.h"
#include "compare/paired_inputs.h"
#include "jobs/analysis/detected_reasons.h"
#include "jobs/export/onnx_runtime_times.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

std::size_t bytesOf(const LoadedModel& model) {
  std::size_t bytes = 0;
  for (const StampedFile& file : model.files) {
    std::error_code failure;
    const auto size = std::filesystem::file_size(file.path, failure);
    if (!failure) bytes += size;
  }
  return bytes;
}

[[noreturn]] void throwBadMatches(const std::filesystem::path& file, const std::string& what) {
  throw Error(ErrorCode::InvalidConfiguration, what,
              {.file = file.string(), .node = {}, .value = {}},
              R"(write {"matched": [{"float": NAME, "quantized": NAME}]}, null for no match)");
}

std::string nameIn(const nlohmann::json& entry, const char* key, const std::filesystem::path& file,
                   std::size_t index) {
  const std::string place = "matched[" + std::to_string(index) + "]";
  if (!entry.is_object() || !entry.contains(key)) {
    throwBadMatches(file, place + " has no \"" + key + "\"");
  }
  const nlohmann::json& name = entry.at(key);
  if (name.is_null()) return {};
  if (!name.is_string() || name.get_ref<const std::string&>().empty()) {
    throwBadMatches(file, place + "." + key + " is neither the name of a value nor null");
  }
  return name.get<std::string>();
}

// Both models by ONNX Runtime, else both by the cost table.
void addLatency(const LoadedModel& first, const LoadedModel& second, SampleSource& source,
                const std::optional<std::filesystem::path>& onnxRuntime, JobContext& job,
                ComparedFiles& result) {
  const Feed feed = source.read(0);
  const ComparedModel ours(*first.engine);
  const ComparedModel theirs(*second.engine);
  const Feed twin = PairedInputs(ours, theirs).forSecond(feed);
  const OnnxRuntimeTimes measured =
      timeWithOnnxRuntime({{first, feed}, {second, twin}}, onnxRuntime, job);
  if (measured.problem.empty()) {
    result.headline.latency = {measured.ms[0], measured.ms[1], "ONNX Runtime " + measured.version};
    return;
  }
  result.headline.latencyProblem = measured.problem;
  const EstimatedTimes estimate =
      estimateTimes(*first.engine, *second.engine, result.comparison, feed, job);
  if (estimate.problem.empty()) {
    result.headline.latency = {estimate.firstMs, estimate.secondMs, {}};
  } else {
    result.headline.latencyProblem += "; " + estimate.problem;
  }
}

ComparisonReport written(const ComparedFiles& compared, std::string text, OutputFolder& out,
                         JobContext& job) {
  const std::string json = comparisonFile(compared);
  job.throwIfCancelled();
  writeFileAtomically(out.path() / "compare.json", json);
  out.keep();
  return {std::move(text), json};
}

}  // namespace

NamedMatches readMatches(const std::filesystem::path& file) {
  const nlohmann::json json = nlohmann::json::parse(readFile(file, kMaxBytes), nullptr, false);
  if (json.is_discarded()) throwBadMatches(file, "the file is no JSON");
  if (!json.is_object() || !json.contains("matched") || !json.at("matched").is_array()) {
    throwBadMatches(file, "there is no list \"matched\"");
  }
  NamedMatches matches;
  for (std::size_t i = 0; i < json.at("matched").size(); ++i) {
    const nlohmann::json& entry = json.at("matched")[i];
    matches.emplace_back(nameIn(entry, "float", file, i), nameIn(entry, "quantized", file, i));
    if (matches.back().first.empty() && matches.back().second.empty()) {
      throwBadMatches(file, "matched[" + std::to_string(i) + "] names no value");
    }
  }
  return matches;
}

ComparedFiles compareLoaded(const LoadedModel& first, const LoadedModel& second,
                            SampleSource& source, const Labels& labels, const NamedMatches& byHand,
                            JobContext& job,
                            const std::optional<std::filesystem::path>& onnxRuntime) {
  ComparedFiles result;
  result.comparison = compareModels(*first.engine, *second.engine, source, labels, byHand, job);
  result.comparison.first = first.file.filename().string();
  result.comparison.second = second.file.filename().string();
  addDetectedReasons(first, source, result.comparison, job);
  result.headline = headlineOf(result.comparison);
  result.headline.firstBytes = bytesOf(first);
  result.headline.secondBytes = bytesOf(second);
  addLatency(first, second, source, onnxRuntime, job, result);
  return result;
}

ComparedFiles compareWithDumps(const LoadedModel& model, const AppliedQuantization* applied,
                               const std::filesystem::path& dumps, SampleSource& source,
                               const Labels& labels, const NamedMatches& byHand, JobContext& job) {
  ComparedFiles result;
  const DumpFolder folder(dumps);
  result.comparison = compareDumps(*model.engine, applied, folder, byHand, source, labels, job);
  folder.requireUnchanged();
  result.comparison.first = model.file.filename().string();
  result.comparison.second = dumps.string();
  result.headline = headlineOf(result.comparison);
  result.headline.latencyProblem = "dumps say nothing of time";
  return result;
}

std::string comparisonFile(const ComparedFiles& compared) {
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  return comparisonJson(compared.comparison, compared.headline).dump(2, ' ', false, replace) + "\n";
}

ComparisonReport writeComparison(const ComparedFiles& compared, OutputFolder& out,
                                 JobContext& job) {
  return written(compared, comparisonText(compared.comparison, compared.headline), out, job);
}

ComparisonReport writeDumpComparison(const ComparedFiles& compared, OutputFolder& out,
                                     JobContext& job) {
  return written(compared, dumpsText(compared.comparison), out, job);
}

}  // namespace quantscope
