#include "jobs/export/export_model.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "export/formats/format.h"
#include "export/loss_report.h"
#include "export/qdq/qdq_report.h"
#include "jobs/export/export_bundle.h"
#include "jobs/export/mobile_model.h"
#include "jobs/export/onnx_runtime_outputs.h"
#include "jobs/export/verified_qdq.h"

namespace quantscope {
namespace {

constexpr const char* kQdq = "qdq-onnx";
constexpr const char* kMobile = "qdq-onnx-mobile";
constexpr const char* kBundle = "bundle";

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

// What only the runtime needs, such as room for temporary files, spoils no export.
OnnxRuntimeAgreement runElsewhere(const ShownModel& shown, const std::string& bytes,
                                  SampleSource& source, const ExportRequest& request,
                                  JobContext& job) {
  try {
    return runInOnnxRuntime(shown.model, shown.quantized, bytes, source, kVerifiedSamples,
                            request.onnxRuntime, job);
  } catch (const Error& error) {
    OnnxRuntimeAgreement none;
    none.problem = error.what();
    return none;
  }
}

// What every format loses: an exported range does not say where it comes from.
void addOrigin(const ShownModel& shown, ExportLosses& losses) {
  if (!shown.synthetic) return;
  losses.insert(losses.begin(),
                {"", "its ranges come from SYNTHETIC samples, and fit no real inputs"});
}

// `before`: losses of the configuration that is exported against the one that was shown.
ExportReport exportQdq(const ShownModel& shown, const ExportLosses& before, SampleSource& source,
                       const ExportRequest& request, JobContext& job) {
  const VerifiedQdq made = makeVerifiedQdq(shown, source, request.opset, job);
  if (!made.problem.empty()) {
    throw Error(ErrorCode::UnsupportedOperation,
                "the exported model does not compute what was shown: " + made.problem,
                {.file = request.out.string(), .node = {}, .value = {}},
                "nothing was written; set the layers concerned to \"fp32\", or ask for another "
                "--opset");
  }
  const OnnxRuntimeAgreement elsewhere = runElsewhere(shown, made.bytes, source, request, job);
  job.throwIfCancelled();
  if (request.beforeWriting) request.beforeWriting();
  writeFileAtomically(request.out, made.bytes);
  ExportLosses losses = before;
  addOrigin(shown, losses);
  losses.insert(losses.end(), made.losses.begin(), made.losses.end());
  nlohmann::ordered_json json = reportHead(request, losses);
  json["opset"] = made.opset;
  json["bytes"] = made.bytes.size();
  json["agreement"] = agreementJson(made.agreement);
  json["onnxruntime"] = onnxRuntimeJson(elsewhere);
  const std::string written = request.out.string() + ": opset " + std::to_string(made.opset) +
                              ", " + byteSize(static_cast<double>(made.bytes.size())) + "\n" +
                              agreementText(made.agreement) + onnxRuntimeText(elsewhere);
  ExportReport report = reportOf(written, std::move(losses), json);
  report.agreement =
      request.out.filename().string() + " " + agreementSentence(made.agreement) + ".";
  return report;
}

ExportReport exportMobile(const ShownModel& shown, SampleSource& source,
                          const ExportRequest& request, JobContext& job) {
  const MobileModel mobile = mobileModel(shown, &job);
  const ShownModel changed{shown.model, mobile.config, shown.observations, mobile.quantized,
                           shown.synthetic};
  ExportReport report = exportQdq(changed, mobile.losses, source, request, job);
  // It agrees with another simulation than the one that was shown.
  report.agreement.clear();
  return report;
}

std::filesystem::path namesFileOf(const std::filesystem::path& out) {
  std::filesystem::path names = out;
  names += ".names.json";
  return names;
}

FormatOutput textOf(const TextFormat& format, const ShownModel& shown,
                    const ExportRequest& request) {
  requireFittingOptions(request);
  const Configuration config = configurationFor(request.out, shown.config);
  FormatOutput output = format.write({*shown.model.engine, config, shown.quantized});
  addOrigin(shown, output.losses);
  return output;
}

const TextFormat* findTextFormat(const std::string& name) {
  for (const TextFormat& format : textFormats()) {
    if (name == format.name) return &format;
  }
  return nullptr;
}

}  // namespace

ShownModel shownModel(const AnalysisSnapshot& analysis) {
  return {analysis.model, analysis.request.config, *analysis.observations, *analysis.quantized,
          analysis.result->synthetic};
}

void requireFittingOptions(const ExportRequest& request) {
  if (request.format == kQdq || request.format == kMobile) return;
  if (request.opset) {
    throw Error(ErrorCode::InvalidParameters, "'" + request.format + "' has no opset", {},
                "leave --opset out");
  }
  if (request.onnxRuntime) {
    throw Error(ErrorCode::InvalidParameters,
                "'" + request.format + "' is nothing that ONNX Runtime could run", {},
                "leave --ort out");
  }
}

const std::vector<std::string>& exportFormats() {
  static const std::vector<std::string> formats = [] {
    std::vector<std::string> names{kQdq, kMobile, kBundle};
    for (const TextFormat& format : textFormats()) names.emplace_back(format.name);
    return names;
  }();
  return formats;
}

ExportLosses findExportLosses(const ShownModel& shown, const ExportRequest& request) {
  if (const TextFormat* format = findTextFormat(request.format)) {
    return textOf(*format, shown, request).losses;
  }
  if (request.format == kBundle) {
    requireFittingOptions(request);
    ExportLosses losses =
        ownConfiguration({*shown.model.engine, shown.config, shown.quantized}).losses;
    addOrigin(shown, losses);
    return losses;
  }
  if (request.format != kMobile) {
    ExportLosses losses = findQdqLosses(shown, request.opset);
    addOrigin(shown, losses);
    return losses;
  }
  MobileModel mobile = mobileModel(shown, nullptr);
  const ExportLosses own = findQdqLosses(
      {shown.model, mobile.config, shown.observations, mobile.quantized}, request.opset);
  mobile.losses.insert(mobile.losses.end(), own.begin(), own.end());
  addOrigin(shown, mobile.losses);
  return mobile.losses;
}

ExportReport exportModel(const ShownModel& shown, SampleSource& source,
                         const ExportRequest& request, JobContext& job) {
  if (request.format == kMobile) return exportMobile(shown, source, request, job);
  if (request.format == kBundle) {
    ExportLosses losses;
    addOrigin(shown, losses);
    return exportBundle(shown, source, std::move(losses), request, job);
  }
  const TextFormat* format = findTextFormat(request.format);
  if (format == nullptr) return exportQdq(shown, {}, source, request, job);
  const FormatOutput output = textOf(*format, shown, request);
  std::string written =
      request.out.string() + ": " + byteSize(static_cast<double>(output.text.size())) + "\n";
  nlohmann::ordered_json json = reportHead(request, output.losses);
  json["names"] = nullptr;
  const std::filesystem::path names = namesFileOf(request.out);
  std::error_code ignored;
  // One of an earlier export would speak of other names.
  const bool outdated = output.names.empty() && std::filesystem::exists(names, ignored);
  if (request.beforeWriting) request.beforeWriting();
  writeFileAtomically(request.out, output.text);
  if (!output.names.empty() || outdated) writeFileAtomically(names, dumped(output.names));
  if (!output.names.empty()) {
    json["names"] = names.string();
    written += names.string() + ": " + counted(output.names.size(), "node") +
               " with the name that the tool knows\n";
  }
  return reportOf(written, output.losses, json);
}

}  // namespace quantscope
