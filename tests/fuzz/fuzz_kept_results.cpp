// Kept results of an analysis, as bytes; the first byte chooses the kind. The checksum of
// observations is corrected, so that the code behind it is reached.

#include <zlib.h>

#include <cstring>

#include "analysis/analysis_result_bytes.h"
#include "analysis/errors/error_records_bytes.h"
#include "calibration/observers/observations_bytes.h"
#include "detectors/findings/detector_report_bytes.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/small_model.h"
#include "precision/parameters/quantized_model.h"
#include "project/kept_analysis.h"

using namespace quantscope;

namespace {

// The format of observationsToBytes().
std::string withChecksum(std::string_view body) {
  const auto checksum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(body.data()), body.size()));
  std::string bytes = "QSobserv" + std::string(body) + "1234";
  std::memcpy(bytes.data() + bytes.size() - sizeof checksum, &checksum, sizeof checksum);
  return bytes;
}

void readObservations(std::string_view body) {
  const Engine& engine = test::smallModel();
  const Observations observations =
      observationsFromBytes(withChecksum(body), engine.graph(), "fuzzed");
  quantizeModel(engine, {}, observations);
}

}  // namespace

QUANTSCOPE_FUZZ_TARGET(kept_results) {
  if (bytes.empty()) return;
  const unsigned kind = static_cast<unsigned char>(bytes.front()) % 5U;
  const std::string_view rest = bytes.substr(1);
  const Graph& graph = test::smallModel().graph();
  test::mayRefuse([&] {
    if (kind == 0) analysisResultFromBytes(rest, graph, "fuzzed");
    if (kind == 1) detectorReportFromBytes(rest, graph, "fuzzed");
    if (kind == 2) readObservations(rest);
    if (kind == 3) errorRecordFromBytes(rest, "fuzzed");
    if (kind == 4) outlineFromBytes(std::string(rest), "fuzzed");
  });
}
