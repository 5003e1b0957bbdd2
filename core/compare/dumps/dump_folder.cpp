#include "compare/dumps/dump_folder.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files/input_file.h"
#include "tensor/npy.h"
#include "tensor/tensor_id.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMaxManifest = std::uint64_t{256} << 20;
constexpr const char* kManifest = "manifest.json";
constexpr const char* kRemedy = "write a manifest as `run` does";

[[noreturn]] void throwBad(const std::filesystem::path& file, const std::string& what,
                           const std::string& value = {}) {
  throw Error(ErrorCode::InvalidData, what, {.file = file.string(), .node = {}, .value = value},
              kRemedy);
}

std::optional<ElementType> typeNamed(const std::string& wanted) {
  static constexpr std::array kTypes{
      ElementType::Float32, ElementType::Float64, ElementType::Float16, ElementType::BFloat16,
      ElementType::Int8,    ElementType::UInt8,   ElementType::Int16,   ElementType::UInt16,
      ElementType::Int32,   ElementType::UInt32,  ElementType::Int64,   ElementType::UInt64,
      ElementType::Bool};
  const auto found = std::ranges::find_if(kTypes, [&](ElementType t) { return name(t) == wanted; });
  return found == kTypes.end() ? std::nullopt : std::optional(*found);
}

bool isNpy(const std::filesystem::path& file) {
  return file.extension() == ".npy";
}

// Only what lies in the folder itself is read.
std::filesystem::path fileIn(const std::filesystem::path& folder, const nlohmann::json& entry,
                             const std::filesystem::path& manifest, const std::string& value) {
  if (!entry.is_string()) throwBad(manifest, "a file name is no text", value);
  const std::filesystem::path name = entry.get<std::string>();
  const bool inside = !name.empty() && name == name.filename() && name != "." && name != "..";
  if (!inside) {
    throwBad(manifest, "the file '" + name.string() + "' is not in the folder itself", value);
  }
  return folder / name;
}

DumpedValue valueFrom(const nlohmann::json& entry, const std::filesystem::path& folder,
                      const std::filesystem::path& manifest, std::size_t index) {
  const std::string place = "values[" + std::to_string(index) + "]";
  if (!entry.is_object() || !entry.contains("name") || !entry.at("name").is_string()) {
    throwBad(manifest, place + " has no name");
  }
  DumpedValue value;
  value.name = entry.at("name").get<std::string>();
  if (entry.contains("file")) {
    value.files.push_back(fileIn(folder, entry.at("file"), manifest, value.name));
  } else if (entry.contains("files") && entry.at("files").is_array()) {
    value.stacked = false;
    for (const nlohmann::json& file : entry.at("files")) {
      value.files.push_back(fileIn(folder, file, manifest, value.name));
    }
  }
  if (value.files.empty()) throwBad(manifest, place + " has no file", value.name);
  if (entry.contains("shape") && entry.at("shape").is_array()) {
    for (const nlohmann::json& extent : entry.at("shape")) {
      if (!extent.is_number_unsigned() || value.shape.size() >= Shape::kMaxRank) {
        throwBad(manifest, place + ".shape is no list of up to 8 extents", value.name);
      }
      value.shape.push_back(extent.get<std::int64_t>());
    }
  }
  if (entry.contains("dtype") && entry.at("dtype").is_string()) {
    const auto type = typeNamed(entry.at("dtype").get<std::string>());
    if (type) value.type = *type;
    const bool needed = !isNpy(value.files.front());
    if (!type && needed) throwBad(manifest, place + ".dtype is not known", value.name);
  } else if (!isNpy(value.files.front())) {
    throwBad(manifest, place + " is a raw file without a dtype", value.name);
  }
  if (!isNpy(value.files.front()) && value.shape.empty()) {
    throwBad(manifest, place + " is a raw file without a shape", value.name);
  }
  return value;
}

Tensor withoutFirstAxis(const Tensor& rows) {
  Shape shape;
  for (std::size_t axis = 1; axis < rows.shape().rank(); ++axis) shape.append(rows.shape()[axis]);
  return rows.reshaped(shape);
}

Tensor readRaw(const std::filesystem::path& path, const DumpedValue& value, std::size_t sample) {
  Shape row;
  for (std::size_t axis = value.stacked ? 1 : 0; axis < value.shape.size(); ++axis) {
    row.append(value.shape[axis]);
  }
  InputFile file(path);
  std::uint64_t bytes = 0;
  try {
    bytes = static_cast<std::uint64_t>(row.elementCount()) * byteSize(value.type);
  } catch (const Error& error) {
    throw error.at({.file = path.string(), .node = {}, .value = value.name});
  }
  const std::uint64_t samples = value.stacked ? static_cast<std::uint64_t>(value.shape[0]) : 1;
  if (bytes == 0 || file.size() / bytes != samples || file.size() % bytes != 0) {
    throw Error(ErrorCode::InvalidData,
                "the file has " + std::to_string(file.size()) +
                    " bytes, its shape and type ask for " + std::to_string(samples * bytes),
                {.file = path.string(), .node = {}, .value = value.name}, kRemedy);
  }
  Tensor tensor(value.type, row);
  file.read(sample * bytes, {tensor.mutableBytes(), static_cast<std::size_t>(bytes)});
  return tensor;
}

const std::filesystem::path& dumpFileOf(const DumpedValue& value, std::size_t sample) {
  return value.files[value.stacked ? 0 : sample];
}

[[noreturn]] void throwChanged(const DumpedValue& value, std::size_t sample) {
  throw Error(ErrorCode::InvalidData,
              "sample " + std::to_string(sample) + " has changed while it was in use",
              {.file = dumpFileOf(value, sample).string(), .node = {}, .value = value.name},
              "start again when the dumps are complete");
}

Tensor readDump(const DumpedValue& value, std::size_t sample) {
  const std::filesystem::path& file = dumpFileOf(value, sample);
  if (!isNpy(file)) return readRaw(file, value, sample);
  NpyReader reader(file);
  if (!value.stacked) return reader.read();
  return withoutFirstAxis(reader.readRows(static_cast<std::int64_t>(sample), 1));
}

}  // namespace

DumpFolder::DumpFolder(std::filesystem::path folder) : m_folder(std::move(folder)) {
  std::error_code failure;
  if (!std::filesystem::exists(m_folder / kManifest, failure)) m_folder /= "quantized";
  const std::filesystem::path manifest = m_folder / kManifest;
  const auto json = nlohmann::json::parse(readFile(manifest, kMaxManifest), nullptr, false);
  if (json.is_discarded()) throwBad(manifest, "the file is no JSON");
  if (!json.is_object() || !json.contains("values") || !json.at("values").is_array()) {
    throwBad(manifest, "there is no list \"values\"");
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < json.at("values").size(); ++i) {
    m_values.push_back(valueFrom(json.at("values")[i], m_folder, manifest, i));
    if (!names.insert(m_values.back().name).second) {
      throwBad(manifest, "a value is there twice", m_values.back().name);
    }
    for (const auto& file : m_values.back().files) m_stamps.emplace(file, stampOf(file));
  }
}

std::size_t DumpFolder::sampleCount(const DumpedValue& value) const {
  if (!value.stacked) return value.files.size();
  if (!isNpy(value.files.front())) return static_cast<std::size_t>(value.shape[0]);
  const NpyReader reader(value.files.front());
  if (reader.shape().empty())
    throwBad(value.files.front(), "there is no axis of samples", value.name);
  if (!value.shape.empty() && !std::ranges::equal(value.shape, reader.shape())) {
    throwBad(value.files.front(), "the file has another shape than the manifest says", value.name);
  }
  return static_cast<std::size_t>(reader.shape()[0]);
}

Tensor DumpFolder::read(const DumpedValue& value, std::size_t sample) const {
  Tensor tensor = readDump(value, sample);
  const ContentId content = contentId(tensor);
  const std::lock_guard lock(m_mutex);
  const auto [known, isNew] = m_read.try_emplace({value.name, sample}, content);
  if (!isNew && known->second != content) throwChanged(value, sample);
  return tensor;
}

void DumpFolder::requireUnchanged() const {
  const std::lock_guard lock(m_mutex);
  for (const DumpedValue& value : m_values) {
    const auto first = m_read.lower_bound({value.name, 0});
    for (auto read = first; read != m_read.end() && read->first.first == value.name; ++read) {
      const std::size_t sample = read->first.second;
      const std::filesystem::path& file = dumpFileOf(value, sample);
      if (stampOf(file) == m_stamps.at(file)) continue;
      if (contentId(readDump(value, sample)) != read->second) throwChanged(value, sample);
    }
  }
}

}  // namespace quantscope
