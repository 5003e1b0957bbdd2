#include "project/kept_analysis.h"

#include <nlohmann/json.hpp>

#include "base/files/byte_archive.h"
#include "precision/config/json_reader.h"
#include "project/document_json.h"

namespace quantscope {
namespace {

const std::string kSubject = "what the kept results are of";

std::string subjectText(const AnalysisSubject& subject) {
  return textOf({{"origin", subject.origin},
                 {"configuration", jsonOf(subject.config)},
                 {"files", jsonOf(subject.files)},
                 {"settings", jsonOf(subject.settings)}});
}

AnalysisSubject parseSubject(const std::string& text, const std::string& source) {
  const nlohmann::ordered_json json = parseStrictJson(text, source, kSubject);
  const JsonReader reader(json, source, kSubject);
  reader.requireKeys({"origin", "configuration", "files", "settings"});
  return {.config = readConfiguration(reader.required("configuration")),
          .files = readFiles(reader.required("files")),
          .settings = readSettings(reader.required("settings")),
          .origin = reader.required("origin").text()};
}

}  // namespace

template <class Archive>
void carry(Archive& archive, AnalysisOutline::Output& output) {
  carryAll(archive, output.value, output.sqnrDb, output.top1Agreement, output.accuracyFloat,
           output.accuracyQuantized);
}

AnalysisOutline outlineOf(const KeptAnalysis& analysis) {
  const AnalysisResult& result = *analysis.result;
  AnalysisOutline outline{.subject = analysis.subject,
                          .model = result.model,
                          .samples = result.samples,
                          .synthetic = result.synthetic,
                          .layers = result.layers.size(),
                          .findings = analysis.report->findings.size(),
                          .outputs = {}};
  for (const OutputResult& output : result.outputs) {
    outline.outputs.push_back({output.value, output.error.sqnrDb, output.top1Agreement,
                               output.accuracyFloat, output.accuracyQuantized});
  }
  return outline;
}

std::string outlineToBytes(const AnalysisOutline& outline) {
  ByteWriter writer;
  writer(subjectText(outline.subject));
  AnalysisOutline copy = outline;
  carryAll(writer, copy.model, copy.samples, copy.synthetic, copy.layers, copy.findings,
           copy.outputs);
  return writer.take();
}

AnalysisOutline outlineFromBytes(const std::string& bytes, const std::string& source) {
  const BytesOf of{"the kept results", source, "analyse again"};
  ByteReader reader(bytes, of);
  std::string subject;
  reader(subject);
  AnalysisOutline outline;
  outline.subject = parseSubject(subject, source);
  carryAll(reader, outline.model, outline.samples, outline.synthetic, outline.layers,
           outline.findings, outline.outputs);
  reader.requireEnd();
  return outline;
}

}  // namespace quantscope
