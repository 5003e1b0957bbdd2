#include "project/analysis_rows.h"

#include "analysis/analysis_result_bytes.h"
#include "calibration/observers/observations_bytes.h"
#include "detectors/detector_report_bytes.h"
#include "project/storage/schema.h"

namespace quantscope {
namespace {

// Version of the bytes of all parts: parts of another version are computed again.
const std::string kAnalysisVersion = "1";

void putPart(Database& database, const char* part, std::string bytes) {
  projectTables().analysis.put(database, {std::string(part), Blob{std::move(bytes)}});
}

std::optional<std::string> findPart(Database& database, const char* part) {
  Table::Row row;
  if (!projectTables().analysis.find(database, std::string(part), row)) return std::nullopt;
  return bytesAt(row, 1);
}

std::string requirePart(Database& database, const char* part) {
  std::optional<std::string> bytes = findPart(database, part);
  if (!bytes) database.failDamaged();
  return *std::move(bytes);
}

void writeObservations(Database& database, const KeptAnalysis& analysis, const Graph& graph,
                       HeldObservations& held) {
  // `held` may come from a failed transaction, so it is compared with the table.
  const bool known = held.observations == analysis.observations &&
                     findPart(database, "observations_id") == held.id;
  if (known) return;
  std::string bytes = observationsToBytes(*analysis.observations, graph);
  held = {analysis.observations, toString(ContentHasher().add(bytes).id())};
  putPart(database, "observations_id", held.id);
  putPart(database, "observations", std::move(bytes));
}

}  // namespace

void writeAnalysis(Database& database, const KeptAnalysis& analysis, const Graph& graph,
                   HeldObservations& held) {
  putPart(database, "version", kAnalysisVersion);
  putPart(database, "outline", outlineToBytes(outlineOf(analysis)));
  putPart(database, "result", analysisResultToBytes(*analysis.result));
  putPart(database, "findings", detectorReportToBytes(*analysis.report));
  writeObservations(database, analysis, graph, held);
}

std::optional<AnalysisOutline> readOutline(Database& database) {
  if (findPart(database, "version") != kAnalysisVersion) return std::nullopt;
  return outlineFromBytes(requirePart(database, "outline"), database.file().string());
}

std::optional<KeptAnalysis> readAnalysis(Database& database, const Graph& graph,
                                         HeldObservations& held) {
  std::optional<AnalysisOutline> outline = readOutline(database);
  if (!outline) return std::nullopt;
  const std::string source = database.file().string();
  KeptAnalysis analysis;
  analysis.subject = std::move(outline->subject);
  analysis.result = std::make_shared<const AnalysisResult>(
      analysisResultFromBytes(requirePart(database, "result"), graph, source));
  analysis.report = std::make_shared<const DetectorReport>(
      detectorReportFromBytes(requirePart(database, "findings"), graph, source));
  analysis.observations = std::make_shared<const Observations>(
      observationsFromBytes(requirePart(database, "observations"), graph, source));
  held = {analysis.observations, requirePart(database, "observations_id")};
  return analysis;
}

}  // namespace quantscope
