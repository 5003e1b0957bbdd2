#include "project/analysis_rows.h"

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/analysis_result_bytes.h"
#include "calibration/observers/observations_bytes.h"
#include "detectors/findings/detector_report_bytes.h"
#include "precision/backend/backend.h"
#include "project/document_rows.h"
#include "project/storage/schema.h"

namespace quantscope {
namespace {

// Version of the bytes of all parts: parts of another version are computed again.
const std::string kAnalysisVersion = "1";

// The parts of the shown analysis have had these names from the first version on.
std::string partOf(AnalysisSlot slot, const char* part) {
  switch (slot) {
    case AnalysisSlot::Before:
      return std::string("before: ") + part;
    case AnalysisSlot::Compared:
      return std::string("compared: ") + part;
    default:
      return part;
  }
}

constexpr const char* kVersion = "version";
constexpr const char* kOutline = "outline";
constexpr const char* kResult = "result";
constexpr const char* kFindings = "findings";
constexpr const char* kObservationsId = "observations_id";
constexpr const char* kFolder = "folder";  // of the project, when the analysis was written

HeldObservations::Of& heldOf(HeldObservations& held, AnalysisSlot slot) {
  return held.of[static_cast<std::size_t>(slot)];
}

void putPart(Database& database, AnalysisSlot slot, const char* part, std::string bytes) {
  projectTables().analysis.put(database, {partOf(slot, part), Blob{std::move(bytes)}});
}

std::optional<std::string> findPart(Database& database, AnalysisSlot slot, const char* part) {
  Table::Row row;
  if (!projectTables().analysis.find(database, partOf(slot, part), row)) return std::nullopt;
  return bytesAt(row, 1);
}

std::string requirePart(Database& database, AnalysisSlot slot, const char* part) {
  std::optional<std::string> bytes = findPart(database, slot, part);
  if (!bytes) database.failDamaged();
  return *std::move(bytes);
}

bool hasObservations(Database& database, const std::string& id) {
  Statement lookup = database.prepare("SELECT 1 FROM observations WHERE id = ?");
  lookup.bind(1, id);
  return lookup.step();
}

// A backend that has moved with the project is named at its place now.
void followFolder(Database& database, AnalysisSlot slot, Configuration& config) {
  const std::optional<std::string> before = findPart(database, slot, kFolder);
  if (!before || *before == database.file().parent_path() ||
      !isBackendFile(config.precision->backend)) {
    return;
  }
  config.precision.edit([&](PrecisionConfig& precision) {
    precision.backend = placeNow(database, *before, precision.backend);
  });
}

// Those that no analysis names any more.
void pruneObservations(Database& database) {
  std::set<std::string> named;
  for (const AnalysisSlot slot : kAnalysisSlots) {
    if (const auto id = findPart(database, slot, kObservationsId)) named.insert(*id);
  }
  std::vector<std::string> leaving;
  {
    Statement rows = database.prepare("SELECT id FROM observations");
    while (rows.step()) {
      if (!named.contains(rows.bytes(0))) leaving.push_back(rows.bytes(0));
    }
  }
  for (const std::string& id : leaving) projectTables().observations.erase(database, id);
}

void writeObservations(Database& database, AnalysisSlot slot, const KeptAnalysis& analysis,
                       const Graph& graph, HeldObservations& held) {
  const auto known =
      std::ranges::find(held.of, analysis.observations, &HeldObservations::Of::observations);
  // What a transaction that failed has noted in `held` is not in the table.
  if (known != held.of.end() && hasObservations(database, known->id)) {
    heldOf(held, slot) = HeldObservations::Of(*known);
  } else {
    std::string bytes = observationsToBytes(*analysis.observations, graph);
    heldOf(held, slot) = {analysis.observations, toString(ContentHasher().add(bytes).id())};
    projectTables().observations.put(database, {heldOf(held, slot).id, Blob{std::move(bytes)}});
  }
  putPart(database, slot, kObservationsId, heldOf(held, slot).id);
  pruneObservations(database);
}

// Those of another analysis, where they are the same.
std::shared_ptr<const Observations> readObservations(Database& database, AnalysisSlot slot,
                                                     const std::string& id, const Graph& graph,
                                                     HeldObservations& held) {
  for (const AnalysisSlot other : kAnalysisSlots) {
    const HeldObservations::Of& of = heldOf(held, other);
    if (other != slot && of.observations && of.id == id) return of.observations;
  }
  Table::Row row;
  if (!projectTables().observations.find(database, id, row)) database.failDamaged();
  return std::make_shared<const Observations>(
      observationsFromBytes(bytesAt(row, 1), graph, database.file().string()));
}

}  // namespace

void writeAnalysis(Database& database, AnalysisSlot slot, const KeptAnalysis& analysis,
                   const Graph& graph, HeldObservations& held) {
  putPart(database, slot, kVersion, kAnalysisVersion);
  putPart(database, slot, kOutline, outlineToBytes(outlineOf(analysis)));
  putPart(database, slot, kResult, analysisResultToBytes(*analysis.result));
  putPart(database, slot, kFindings, detectorReportToBytes(*analysis.report));
  putPart(database, slot, kFolder, database.file().parent_path().string());
  writeObservations(database, slot, analysis, graph, held);
}

void eraseAnalysis(Database& database, AnalysisSlot slot, HeldObservations& held) {
  for (const char* part : {kVersion, kOutline, kResult, kFindings, kObservationsId, kFolder}) {
    projectTables().analysis.erase(database, partOf(slot, part));
  }
  heldOf(held, slot) = {};
  pruneObservations(database);
}

std::optional<AnalysisOutline> readOutline(Database& database, AnalysisSlot slot) {
  if (findPart(database, slot, kVersion) != kAnalysisVersion) return std::nullopt;
  AnalysisOutline outline =
      outlineFromBytes(requirePart(database, slot, kOutline), database.file().string());
  followFolder(database, slot, outline.subject.config);
  return outline;
}

std::optional<KeptAnalysis> readAnalysis(Database& database, AnalysisSlot slot, const Graph& graph,
                                         HeldObservations& held) {
  std::optional<AnalysisOutline> outline = readOutline(database, slot);
  if (!outline) return std::nullopt;
  const std::string source = database.file().string();
  KeptAnalysis analysis;
  analysis.subject = std::move(outline->subject);
  analysis.result = std::make_shared<const AnalysisResult>(
      analysisResultFromBytes(requirePart(database, slot, kResult), graph, source));
  analysis.report = std::make_shared<const DetectorReport>(
      detectorReportFromBytes(requirePart(database, slot, kFindings), graph, source));
  const std::string id = requirePart(database, slot, kObservationsId);
  analysis.observations = readObservations(database, slot, id, graph, held);
  heldOf(held, slot) = {analysis.observations, id};
  return analysis;
}

}  // namespace quantscope
