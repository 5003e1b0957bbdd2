#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace quantscope {

/// The files that a model's bytes name as places of external data, each once, in the order of their
/// names. Looks for the entries alone: nothing is parsed or checked, and a name may be wrong where
/// the same bytes stand elsewhere by chance.
std::vector<std::filesystem::path> externalLocations(std::string_view model);

}  // namespace quantscope
