#include "tensor/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/files/input_file.h"

namespace quantscope {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are written as they lie in memory");

// Rows of a Fortran-ordered array lie scattered over the whole file: as many of them are gathered
// in one pass as this many bytes hold.
constexpr std::uint64_t kBlockBytes = 32U << 20;
constexpr std::uint64_t kChunkBytes = 1U << 20;

Shape withRows(const Shape& shape, std::int64_t rows) {
  Shape result = shape;
  result[0] = rows;
  return result;
}

void swapBytes(Tensor& tensor) {
  const std::size_t size = byteSize(tensor.type());
  std::byte* const begin = tensor.mutableBytes();
  for (std::size_t i = 0; i < tensor.elementCount(); ++i) {
    std::reverse(begin + i * size, begin + (i + 1) * size);
  }
}

// A bool that is neither 0 nor 1 would be undefined behaviour wherever it is used.
void normalizeBooleans(Tensor& tensor) {
  std::byte* const begin = tensor.mutableBytes();
  std::transform(begin, begin + tensor.byteSize(), begin,
                 [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
}

// Where in a row (row-major) each element stands that Fortran order reads one after the other.
std::vector<std::size_t> rowPositions(const Shape& shape) {
  const Shape strides = rowMajorStrides(shape);
  std::vector<std::size_t> positions(static_cast<std::size_t>(shape.elementCount(1, shape.rank())));
  Shape index = Shape::filled(shape.rank(), 0);
  for (std::size_t& position : positions) {
    std::int64_t at = 0;
    for (std::size_t axis = 1; axis < shape.rank(); ++axis) at += index[axis] * strides[axis];
    position = static_cast<std::size_t>(at);
    for (std::size_t axis = 1; axis < shape.rank() && ++index[axis] == shape[axis]; ++axis) {
      index[axis] = 0;
    }
  }
  return positions;
}

Tensor forNumpy(const Tensor& tensor) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  return plain.type() == ElementType::BFloat16 ? toFloat32(plain) : plain;
}

std::span<const std::byte> bytesOf(const Tensor& tensor) {
  return {tensor.bytes(), tensor.byteSize()};
}

std::span<const std::byte> bytesOf(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

NpyReader::NpyReader(const std::filesystem::path& file)
    : NpyReader(std::make_unique<InputFile>(file),
                Place{.file = file.string(), .node = {}, .value = {}}) {}

NpyReader::NpyReader(std::unique_ptr<ByteSource> source, Place place)
    : m_source(std::move(source)),
      m_place(std::move(place)),
      m_header(readNpyHeader(*m_source, m_place)) {}

bool NpyReader::rowsAreScattered() const {
  return m_header.fortranOrder && m_header.shape.rank() > 1;
}

Tensor NpyReader::read() {
  if (!rowsAreScattered()) return readContiguous(0, m_header.shape);
  Tensor tensor = gatherFortranRows(0, m_header.shape[0]);
  finish(tensor);
  return tensor;
}

Tensor NpyReader::readRows(std::int64_t first, std::int64_t count) {
  const Shape& shape = m_header.shape;
  if (shape.empty() || first < 0 || count < 0 || count > shape[0] - first) {
    throw Error(ErrorCode::InvalidParameters,
                "an array of shape " + toString(shape) + " has no rows " + std::to_string(first) +
                    " to " + std::to_string(first + count - 1),
                m_place);
  }
  if (rowsAreScattered()) return readFortranRows(first, count);
  const std::int64_t rowElements = count == 0 ? 0 : shape.elementCount(1, shape.rank());
  return readContiguous(static_cast<std::uint64_t>(first * rowElements), withRows(shape, count));
}

Tensor NpyReader::readContiguous(std::uint64_t firstElement, const Shape& shape) {
  Tensor tensor(m_header.type, shape);
  m_source->read(m_header.dataOffset + firstElement * byteSize(m_header.type),
                 {tensor.mutableBytes(), tensor.byteSize()});
  finish(tensor);
  return tensor;
}

Tensor NpyReader::readFortranRows(std::int64_t first, std::int64_t count) {
  const std::int64_t blockRows = m_block.defined() ? m_block.shape()[0] : 0;
  // Whoever begins a block again wants what the file holds now.
  if (first <= m_blockFirst || first + count > m_blockFirst + blockRows) {
    const std::uint64_t rowBytes = std::max<std::uint64_t>(
        1, m_header.dataBytes() / std::max<std::uint64_t>(1, m_header.shape[0]));
    const auto rows = static_cast<std::int64_t>(std::max<std::uint64_t>(1, kBlockBytes / rowBytes));
    m_block = Tensor();
    m_block = gatherFortranRows(first, std::min(std::max(rows, count), m_header.shape[0] - first));
    m_blockFirst = first;
    finish(m_block);
  }
  Tensor tensor(m_header.type, withRows(m_header.shape, count));
  const std::size_t rowBytes = m_block.byteSize() / static_cast<std::size_t>(m_block.shape()[0]);
  std::memcpy(tensor.mutableBytes(),
              m_block.bytes() + static_cast<std::size_t>(first - m_blockFirst) * rowBytes,
              tensor.byteSize());
  return tensor;
}

// The file holds columns of shape()[0] elements, one per element of a row; a chunk of whole
// columns is read at a time, or of each only the wanted rows where columns are long.
Tensor NpyReader::gatherFortranRows(std::int64_t first, std::int64_t count) {
  Tensor tensor(m_header.type, withRows(m_header.shape, count));
  if (count == 0) return tensor;
  const std::size_t size = byteSize(m_header.type);
  const std::vector<std::size_t> positions = rowPositions(m_header.shape);
  const auto columnBytes = static_cast<std::uint64_t>(m_header.shape[0]) * size;
  const bool wholeColumns = columnBytes <= kChunkBytes;
  const std::uint64_t skip = static_cast<std::uint64_t>(first) * size;
  const std::uint64_t wanted =
      wholeColumns ? columnBytes : static_cast<std::uint64_t>(count) * size;
  const std::size_t columnsPerChunk = wholeColumns ? kChunkBytes / columnBytes : 1;

  std::vector<std::byte> chunk(std::min<std::size_t>(columnsPerChunk, positions.size()) * wanted);
  for (std::size_t column = 0; column < positions.size(); column += columnsPerChunk) {
    const std::size_t columns = std::min(columnsPerChunk, positions.size() - column);
    m_source->read(m_header.dataOffset + column * columnBytes + (wholeColumns ? 0 : skip),
                   std::span(chunk).first(columns * wanted));
    for (std::size_t c = 0; c < columns; ++c) {
      const std::byte* from = chunk.data() + c * wanted + (wholeColumns ? skip : 0);
      std::byte* to = tensor.mutableBytes() + positions[column + c] * size;
      for (std::int64_t row = 0; row < count; ++row) {
        std::memcpy(to, from, size);
        from += size;
        to += positions.size() * size;
      }
    }
  }
  return tensor;
}

void NpyReader::finish(Tensor& tensor) const {
  if (m_header.bigEndian && byteSize(m_header.type) > 1) swapBytes(tensor);
  if (m_header.type == ElementType::Bool) normalizeBooleans(tensor);
}

Tensor readNpy(const std::filesystem::path& file) {
  return NpyReader(file).read();
}

void writeNpy(const std::filesystem::path& file, const Tensor& tensor) {
  const Tensor written = forNumpy(tensor);
  AtomicFile target(file);
  target.append(bytesOf(formatNpyHeader(written.type(), written.shape().dimensions())));
  target.append(bytesOf(written));
  target.commit(AtomicFile::Durability::Cached);
}

NpyStackWriter::NpyStackWriter(const std::filesystem::path& file)
    : m_file(std::make_unique<AtomicFile>(file)) {}

// Always as long as the header of the largest count, so that it can be filled in at the end.
std::string NpyStackWriter::header(std::int64_t count) const {
  std::vector<std::int64_t> dimensions{std::numeric_limits<std::int64_t>::max()};
  dimensions.insert(dimensions.end(), m_rowDimensions.begin(), m_rowDimensions.end());
  const std::size_t size = formatNpyHeader(m_type, dimensions).size();
  dimensions[0] = count;
  return formatNpyHeader(m_type, dimensions, size);
}

void NpyStackWriter::append(const Tensor& tensor) {
  const Tensor row = forNumpy(tensor);
  if (m_count == 0) {
    m_type = row.type();
    m_rowDimensions.assign(row.shape().begin(), row.shape().end());
    m_file->append(bytesOf(header(0)));
  } else if (row.type() != m_type || !std::ranges::equal(row.shape(), m_rowDimensions)) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor of shape " + toString(row.shape()) + " and type " +
                    std::string(name(row.type())) + " cannot be stacked on those before it",
                Place{.file = m_file->target().string(), .node = {}, .value = {}});
  }
  m_file->append(bytesOf(row));
  ++m_count;
}

void NpyStackWriter::close() {
  if (m_count == 0) {
    throw Error(ErrorCode::InsufficientData, "there are no samples to write",
                Place{.file = m_file->target().string(), .node = {}, .value = {}});
  }
  m_file->overwrite(0, bytesOf(header(m_count)));
  m_file->commit(AtomicFile::Durability::Cached);
}

}  // namespace quantscope
