#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "export/qdq/verify_export.h"

namespace quantscope {

/// {"samples", "layers", "within_one_step", "worst": [{"node", "within_one_step"}], "outputs":
/// [{"value", "to_simulation_db", "simulation_to_float_db", "to_float_db", "top1_agreement"}]}
nlohmann::ordered_json agreementJson(const ExportAgreement& agreement);

/// "agrees to 100 % of elements within one step, layer by layer; output prob to 52.1 dB", of the
/// output that agrees least.
std::string agreementSentence(const ExportAgreement& agreement);

/// The same in a few lines: "agrees to …".
std::string agreementText(const ExportAgreement& agreement);

}  // namespace quantscope
