#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace quantscope {

inline constexpr int kSensitivityVersion = 1;

/// A layer and a type: what a row of a sensitivity analysis is about.
using SensitivityRowKey = std::pair<std::string, std::string>;
SensitivityRowKey keyOfRow(const nlohmann::ordered_json& row);

/// The result of a sensitivity analysis, or what is finished of it. Everything that a run writes is
/// there and of the right kind, and no layer has two rows in one type. Throws Io, and InvalidData
/// with the file and the path in it.
nlohmann::ordered_json readSensitivityFile(const std::filesystem::path& file);

/// Throws InvalidData for the row at this place of `nodes`: "'nodes[3]' is …".
[[noreturn]] void failAtRow(const std::filesystem::path& file, std::size_t place,
                            const std::string& problem, const std::string& remedy);

}  // namespace quantscope
