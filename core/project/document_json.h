#pragma once

#include <nlohmann/json_fwd.hpp>

#include "project/document.h"

namespace quantscope {

class JsonReader;

// The parts of a document as JSON. Reading is strict: mistakes are Error(InvalidConfiguration) with
// the path of the key.

nlohmann::ordered_json jsonOf(const Configuration& config);
nlohmann::ordered_json jsonOf(const Document::Edit& edit);
nlohmann::ordered_json jsonOf(const DecidedRepairs& repairs);
nlohmann::ordered_json jsonOf(const DocumentFiles& files);
nlohmann::ordered_json jsonOf(const AnalysisSettings& settings);

Configuration readConfiguration(const JsonReader& reader);
Document::Edit readEdit(const JsonReader& reader);
DecidedRepairs readDecidedRepairs(const JsonReader& reader);
DocumentFiles readFiles(const JsonReader& reader);
AnalysisSettings readSettings(const JsonReader& reader);

/// Text of such JSON, on one line; bytes that are no UTF-8 are replaced.
std::string textOf(const nlohmann::ordered_json& json);

}  // namespace quantscope
