#include "support/zip_bytes.h"

#include <QByteArray>

namespace quantscope::test {
namespace {

// qCompress writes the length (4 bytes), a zlib header (2), the deflated bytes, a checksum (4).
std::string deflated(const std::string& bytes) {
  const QByteArray zlib =
      qCompress(QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())), 9);
  return zlib.mid(6, zlib.size() - 10).toStdString();
}

// The part that the local header and the directory have in common.
std::string commonHeader(const ZipMember& member, std::size_t packedSize) {
  const std::size_t size = member.claimedSize.value_or(member.content.size());
  return littleEndian(20, 2) + littleEndian(member.flags, 2) +
         littleEndian(member.claimedMethod.value_or(member.deflate ? 8 : 0), 2) +
         littleEndian(0, 4) +
         littleEndian(member.claimedChecksum.value_or(crc32(member.content)), 4) +
         littleEndian(member.deflate ? packedSize : size, 4) + littleEndian(size, 4) +
         littleEndian(member.name.size(), 2) + littleEndian(0, 2);
}

}  // namespace

std::string littleEndian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(number);
    number >>= 8;
  }
  return text;
}

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

std::string zipBytes(const std::vector<ZipMember>& members) {
  std::string archive;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::string packed = member.deflate ? deflated(member.content) : member.content;
    const std::string header = commonHeader(member, packed.size());
    directory += "PK\x01\x02" + littleEndian(20, 2) + header + littleEndian(0, 10) +
                 littleEndian(archive.size(), 4) + member.name;
    archive += "PK\x03\x04" + header + member.name + packed;
  }
  const std::string count = littleEndian(members.size(), 2);
  return archive + directory + "PK\x05\x06" + littleEndian(0, 4) + count + count +
         littleEndian(directory.size(), 4) + littleEndian(archive.size(), 4) + littleEndian(0, 2);
}

}  // namespace quantscope::test
