#include "support/png_bytes.h"

#include <QByteArray>
#include <algorithm>

#include "support/zip_bytes.h"

namespace quantscope::test {
namespace {

std::string bigEndian(std::uint64_t number, int bytes) {
  std::string text = littleEndian(number, bytes);
  std::ranges::reverse(text);
  return text;
}

std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  return bigEndian(content.size(), 4) + body + bigEndian(crc32(body), 4);
}

std::string optionalChunk(const std::string& name, const std::string& content) {
  return content.empty() ? "" : chunk(name, content);
}

}  // namespace

std::string pngBytes(const PngParts& parts) {
  const std::size_t rowBytes = parts.rows.size() / static_cast<std::size_t>(parts.height);
  std::string filtered;
  for (int y = 0; y < parts.height; ++y) {
    filtered += '\0' + parts.rows.substr(static_cast<std::size_t>(y) * rowBytes, rowBytes);
  }
  // qCompress puts the length in front of the zlib stream that PNG wants.
  const QByteArray packed =
      qCompress(QByteArray(filtered.data(), static_cast<qsizetype>(filtered.size()))).mid(4);
  return "\x89PNG\r\n\x1a\n" +
         chunk("IHDR", bigEndian(static_cast<std::uint64_t>(parts.width), 4) +
                           bigEndian(static_cast<std::uint64_t>(parts.height), 4) +
                           static_cast<char>(parts.bitDepth) + static_cast<char>(parts.colorType) +
                           std::string(3, '\0')) +
         optionalChunk("PLTE", parts.palette) + optionalChunk("tRNS", parts.transparency) +
         optionalChunk("eXIf", parts.exif) + chunk("IDAT", packed.toStdString()) +
         chunk("IEND", "");
}

std::string exifWithOrientation(int orientation, bool big) {
  const auto number = [big](int value, int bytes) {
    return big ? bigEndian(static_cast<std::uint64_t>(value), bytes)
               : littleEndian(static_cast<std::uint64_t>(value), bytes);
  };
  return (big ? "MM" : "II") + number(42, 2) + number(8, 4) + number(2, 2) + number(0x010F, 2) +
         number(2, 2) + number(1, 4) + number(0, 4) + number(0x0112, 2) + number(3, 2) +
         number(1, 4) + number(orientation, 2) + number(0, 2) + number(0, 4);
}

std::string withExif(const std::string& jpeg, const std::string& exif) {
  const std::string content = std::string("Exif\0\0", 6) + exif;
  return jpeg.substr(0, 2) + "\xFF\xE1" + bigEndian(content.size() + 2, 2) + content +
         jpeg.substr(2);
}

}  // namespace quantscope::test
