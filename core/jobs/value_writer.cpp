#include "jobs/value_writer.h"

#include <system_error>

#include "base/error.h"

namespace quantscope {
namespace fs = std::filesystem;

namespace {

constexpr const char* kPartSuffix = ".part";

void giveName(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return;
  throw Error(ErrorCode::Io, "the file cannot be given its name: " + error.message(),
              {.file = to.string(), .node = {}, .value = {}}, "check the folder");
}

}  // namespace

ValueWriter::ValueWriter(fs::path folder, std::string stem)
    : m_folder(std::move(folder)),
      m_stem(std::move(stem)),
      m_stackPart(m_folder / (m_stem + ".npy" + kPartSuffix)) {}

ValueWriter::~ValueWriter() {
  std::error_code ignored;
  for (const fs::path& part : m_parts) fs::remove(part, ignored);
  if (m_count > 0) fs::remove(m_stackPart, ignored);
}

void ValueWriter::append(const Tensor& sample) {
  if (m_count == 0) {
    m_type = sample.type();
    m_shape = sample.shape();
    m_stack = std::make_unique<NpyStackWriter>(m_stackPart);
  }
  if (m_stack && sample.shape() != m_shape) split();
  if (m_stack) {
    m_stack->append(sample);
  } else {
    addSampleFile(sample);
  }
  ++m_count;
}

// The stack so far becomes a file for a moment, to be read back sample by sample.
void ValueWriter::split() {
  m_stack->close();
  m_stack.reset();
  NpyReader reader(m_stackPart);
  for (std::size_t i = 0; i < m_count; ++i) {
    addSampleFile(reader.readRows(static_cast<std::int64_t>(i), 1).reshaped(m_shape));
  }
  fs::remove(m_stackPart);
}

void ValueWriter::addSampleFile(const Tensor& sample) {
  const std::string name = m_stem + "." + std::to_string(m_parts.size()) + ".npy" + kPartSuffix;
  m_parts.push_back(m_folder / name);
  writeNpy(m_parts.back(), sample);
}

std::vector<std::string> ValueWriter::close() {
  if (m_stack) {
    m_stack->close();
    m_stack.reset();
    giveName(m_stackPart, m_folder / (m_stem + ".npy"));
    return {m_stem + ".npy"};
  }
  std::vector<std::string> names;
  for (const fs::path& part : m_parts) {
    fs::path target = part;
    target.replace_extension();
    giveName(part, target);
    names.push_back(target.filename().string());
  }
  m_parts.clear();
  return names;
}

std::vector<std::int64_t> ValueWriter::stackedShape() const {
  if (!m_parts.empty()) return {};
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(m_count)};
  shape.insert(shape.end(), m_shape.begin(), m_shape.end());
  return shape;
}

}  // namespace quantscope
