#include "tensor/npz.h"

#include <algorithm>

#include "base/error.h"

namespace quantscope {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr const char* kRemedy = "write the file with numpy.savez(file, **{'input': array})";

Place placeOf(const ZipArchive& archive, std::string_view array = {}) {
  return {.file = archive.file().string(), .node = {}, .value = std::string(array)};
}

std::string arrayName(const ZipArchive& archive, const std::string& entry) {
  if (entry.ends_with(kSuffix)) return entry.substr(0, entry.size() - kSuffix.size());
  throw Error(ErrorCode::InvalidData, "an entry of the archive is not a .npy array",
              placeOf(archive, entry), kRemedy);
}

void requireDistinct(const ZipArchive& archive, const std::vector<NpzArray>& arrays) {
  std::vector<std::string_view> names;
  names.reserve(arrays.size());
  for (const NpzArray& array : arrays) names.push_back(array.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  throw Error(ErrorCode::InvalidData, "two arrays of the archive have the same name",
              placeOf(archive, *twice), kRemedy);
}

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& file) : m_archive(file) {
  for (const ZipArchive::Entry& entry : m_archive.entries()) {
    std::string name = arrayName(m_archive, entry.name);
    const NpyReader reader = openEntry(entry);
    m_arrays.push_back({std::move(name), reader.type(), reader.shape()});
  }
  requireDistinct(m_archive, m_arrays);
  if (m_arrays.empty()) {
    throw Error(ErrorCode::InsufficientData, "the archive holds no arrays", placeOf(m_archive),
                kRemedy);
  }
}

const NpzArray* NpzFile::find(std::string_view name) const {
  const auto found = std::ranges::find(m_arrays, name, &NpzArray::name);
  return found == m_arrays.end() ? nullptr : &*found;
}

NpyReader NpzFile::open(std::string_view name) const {
  const NpzArray* const array = find(name);
  if (array == nullptr) {
    throw Error(ErrorCode::InvalidData, "the archive holds no such array", placeOf(m_archive, name),
                kRemedy);
  }
  return openEntry(m_archive.entries()[static_cast<std::size_t>(array - m_arrays.data())]);
}

NpyReader NpzFile::openEntry(const ZipArchive::Entry& entry) const {
  return {m_archive.open(entry), placeOf(m_archive, arrayName(m_archive, entry.name))};
}

}  // namespace quantscope
