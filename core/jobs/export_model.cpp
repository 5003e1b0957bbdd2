#include "jobs/export_model.h"

#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/error.h"
#include "export/formats/format.h"
#include "export/loss_report.h"
#include "export/number_text.h"
#include "export/qdq/qdq_report.h"
#include "onnx/import.h"
#include "onnx/writing/write_model.h"

namespace quantscope {
namespace {

// Enough to see every layer at work; an export is no measurement.
constexpr std::size_t kVerifiedSamples = 8;

nlohmann::ordered_json reportHead(const ExportRequest& request, const ExportLosses& losses) {
  return {
      {"format", request.format}, {"file", request.out.string()}, {"losses", lossesJson(losses)}};
}

std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

ExportReport reportOf(std::string written, ExportLosses losses,
                      const nlohmann::ordered_json& json) {
  std::string text = written + lossesText(losses);
  return {std::move(written), std::move(losses), std::move(text), dumped(json)};
}

ExportReport exportQdq(const LoadedModel& model, const QuantizedModel& quantized,
                       SampleSource& source, const ExportRequest& request, JobContext& job) {
  const QdqModel qdq = buildQdqModel(*model.engine, quantized, request.opset);
  job.throwIfCancelled();
  const std::string bytes = modelBytes(qdq.draft);
  const Engine written(importModelBytes(bytes), job.workers());
  const ExportAgreement agreement =
      verifyExport(*model.engine, quantized, qdq, written, source, kVerifiedSamples, job);
  if (const std::string problem = agreement.problem(); !problem.empty()) {
    throw Error(ErrorCode::UnsupportedOperation,
                "the exported model does not compute what was shown: " + problem,
                {.file = request.out.string(), .node = {}, .value = {}},
                "nothing was written; set the layers concerned to \"fp32\", or ask for another "
                "--opset");
  }
  job.throwIfCancelled();
  writeFileAtomically(request.out, bytes);
  nlohmann::ordered_json json = reportHead(request, qdq.losses);
  json["opset"] = qdq.opset;
  json["bytes"] = bytes.size();
  json["agreement"] = agreementJson(agreement);
  ExportReport report =
      reportOf(request.out.string() + ": opset " + std::to_string(qdq.opset) + ", " +
                   byteSize(static_cast<double>(bytes.size())) + "\n" + agreementText(agreement),
               qdq.losses, json);
  report.agreement = request.out.filename().string() + " " + agreementSentence(agreement) + ".";
  return report;
}

FormatOutput textOf(const TextFormat& format, const LoadedModel& model, const Configuration& config,
                    const QuantizedModel& quantized, const ExportRequest& request) {
  requireNoOpset(request);
  return format.write({*model.engine, config, quantized});
}

// Null for the one format that is no text.
const TextFormat* findTextFormat(const std::string& name) {
  for (const TextFormat& format : textFormats()) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

}  // namespace

void requireNoOpset(const ExportRequest& request) {
  if (!request.opset) return;
  throw Error(ErrorCode::InvalidParameters, "'" + request.format + "' has no opset", {},
              "leave --opset out");
}

const std::vector<std::string>& exportFormats() {
  static const std::vector<std::string> formats = [] {
    std::vector<std::string> names{"qdq-onnx"};
    for (const TextFormat& format : textFormats()) names.emplace_back(format.name);
    return names;
  }();
  return formats;
}

ExportLosses findExportLosses(const LoadedModel& model, const Configuration& config,
                              const QuantizedModel& quantized, const ExportRequest& request) {
  if (const TextFormat* format = findTextFormat(request.format)) {
    return textOf(*format, model, config, quantized, request).losses;
  }
  return buildQdqModel(*model.engine, quantized, request.opset).losses;
}

ExportReport exportModel(const LoadedModel& model, const Configuration& config,
                         const QuantizedModel& quantized, SampleSource& source,
                         const ExportRequest& request, JobContext& job) {
  const TextFormat* format = findTextFormat(request.format);
  if (format == nullptr) return exportQdq(model, quantized, source, request, job);
  const FormatOutput output = textOf(*format, model, config, quantized, request);
  writeFileAtomically(request.out, output.text);
  return reportOf(
      request.out.string() + ": " + byteSize(static_cast<double>(output.text.size())) + "\n",
      output.losses, reportHead(request, output.losses));
}

}  // namespace quantscope
