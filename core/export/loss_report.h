#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "export/export_loss.h"

namespace quantscope {

/// [{"node", "what"}]; the node is null for the whole model.
nlohmann::ordered_json lossesJson(const ExportLosses& losses);

/// One line per kind of loss, with the nodes it meets: "3 nodes ('a', 'b', …): what".
std::string lossesText(const ExportLosses& losses);

/// Adds losses in the order of their nodes' names.
void addLosses(const ExportLosses& added, ExportLosses& losses);

}  // namespace quantscope
