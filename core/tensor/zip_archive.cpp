#include "tensor/zip_archive.h"

#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/files/file_error.h"
#include "base/files/input_file.h"

namespace quantscope {
namespace {

// Deflate spends at least two bits on 258 bytes of content: more than this is a lie.
constexpr std::uint64_t kMaxDeflateRatio = 1032;

constexpr const char* kFetchAgain = "the archive is truncated or damaged: fetch or write it again";

Place placeOf(const std::filesystem::path& file, const std::string& entry = {}) {
  return {.file = file.string(), .node = {}, .value = entry};
}

Error damaged(const std::string& sentence, const std::filesystem::path& file,
              const std::string& entry = {}) {
  return {ErrorCode::InvalidData, sentence, placeOf(file, entry), kFetchAgain};
}

struct ZipError {
  ZipError() { zip_error_init(&error); }
  ~ZipError() { zip_error_fini(&error); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t error;
};

// Without a buffer: whoever reads an entry again is given what the file holds now.
zip_source_t* openUnbuffered(const std::filesystem::path& file, ZipError& failure) {
  std::FILE* const stream = std::fopen(file.c_str(), "rbe");
  if (stream == nullptr) throw fileError(FileAction::Read, file, errno);
  std::setvbuf(stream, nullptr, _IONBF, 0);
  zip_source_t* const source = zip_source_filep_create(stream, 0, -1, &failure.error);
  if (source == nullptr) std::fclose(stream);
  return source;
}

zip_t* openArchive(const std::filesystem::path& file) {
  ZipError failure;
  zip_source_t* const source = openUnbuffered(file, failure);
  if (source != nullptr) {
    zip_t* const archive = zip_open_from_source(source, ZIP_RDONLY, &failure.error);
    if (archive != nullptr) return archive;
    zip_source_free(source);
  }
  if (zip_error_code_zip(&failure.error) == ZIP_ER_NOZIP) {
    throw damaged("this is not a zip archive", file);
  }
  throw damaged(
      std::string("the zip archive cannot be opened, ") + zip_error_strerror(&failure.error), file);
}

}  // namespace

struct ZipArchive::Handle {
  explicit Handle(const std::filesystem::path& file) : archive(openArchive(file)) {}
  ~Handle() { zip_discard(archive); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  zip_t* archive;
};

class ZipArchive::EntrySource : public ByteSource {
 public:
  EntrySource(std::shared_ptr<Handle> handle, Entry entry, std::filesystem::path file)
      : m_handle(std::move(handle)), m_entry(std::move(entry)), m_file(std::move(file)) {}

  std::uint64_t size() const override { return m_entry.size; }

  void read(std::uint64_t offset, std::span<std::byte> target) override {
    if (offset > m_entry.size || target.size() > m_entry.size - offset) endsEarly();
    moveTo(offset);
    readOn(target);
    if (m_position == m_entry.size) requireEnd();
  }

 private:
  void moveTo(std::uint64_t offset) {
    if (!m_stream || (offset < m_position && !m_entry.stored)) restart();
    if (m_entry.stored && offset != m_position) {
      if (zip_fseek(m_stream.get(), static_cast<zip_int64_t>(offset), SEEK_SET) != 0) fail();
      m_position = offset;
    }
    std::array<std::byte, 65536> skipped{};
    while (m_position < offset) {
      readOn(
          std::span(skipped).first(std::min<std::uint64_t>(skipped.size(), offset - m_position)));
    }
  }

  void restart() {
    m_stream.reset(zip_fopen_index(m_handle->archive, m_entry.index, 0));
    m_position = 0;
    if (!m_stream) {
      throw damaged(std::string("an entry cannot be opened, ") + zip_strerror(m_handle->archive),
                    m_file, m_entry.name);
    }
  }

  void readOn(std::span<std::byte> target) {
    while (!target.empty()) {
      const zip_int64_t count = zip_fread(m_stream.get(), target.data(), target.size());
      if (count < 0) fail();
      if (count == 0) endsEarly();
      m_position += static_cast<std::uint64_t>(count);
      target = target.subspan(static_cast<std::size_t>(count));
    }
  }

  // libzip checks size and checksum when it comes to the end.
  void requireEnd() {
    std::byte more{};
    const zip_int64_t count = zip_fread(m_stream.get(), &more, 1);
    if (count < 0) fail();
    if (count > 0) {
      throw damaged(
          "an entry holds more than its size of " + std::to_string(m_entry.size) + " bytes", m_file,
          m_entry.name);
    }
  }

  [[noreturn]] void fail() {
    const std::string reason = zip_error_strerror(zip_file_get_error(m_stream.get()));
    m_stream.reset();
    throw damaged("an entry cannot be read, " + reason, m_file, m_entry.name);
  }

  [[noreturn]] void endsEarly() const {
    throw damaged("an entry ends before its size of " + std::to_string(m_entry.size) + " bytes",
                  m_file, m_entry.name);
  }

  struct CloseStream {
    void operator()(zip_file_t* stream) const { zip_fclose(stream); }
  };

  std::shared_ptr<Handle> m_handle;  // declared first: outlives the stream
  Entry m_entry;
  std::filesystem::path m_file;
  std::unique_ptr<zip_file_t, CloseStream> m_stream;
  std::uint64_t m_position = 0;
};

ZipArchive::ZipArchive(const std::filesystem::path& file) : m_file(file) {
  const std::uint64_t size = InputFile(file).size();  // tells what is wrong with an unreadable one
  m_handle = std::make_shared<Handle>(file);
  const zip_int64_t count = zip_get_num_entries(m_handle->archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    Entry entry = readEntry(static_cast<std::uint64_t>(i), size);
    if (!entry.name.ends_with('/')) m_entries.push_back(std::move(entry));
  }
}

ZipArchive::Entry ZipArchive::readEntry(std::uint64_t index, std::uint64_t archiveSize) const {
  constexpr zip_uint64_t kNeeded =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(m_handle->archive, index, 0, &status) != 0 ||
      (status.valid & kNeeded) != kNeeded) {
    throw damaged("the zip archive's directory is damaged", m_file);
  }
  const bool stored = status.comp_method == ZIP_CM_STORE;
  if ((!stored && status.comp_method != ZIP_CM_DEFLATE) ||
      ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
       status.encryption_method != ZIP_EM_NONE)) {
    throw Error(ErrorCode::UnsupportedType, "an entry is encrypted or compressed in an unusual way",
                placeOf(m_file, status.name),
                "write the file with numpy.savez or numpy.savez_compressed");
  }
  const bool plausible =
      stored ? status.size == status.comp_size : status.size / kMaxDeflateRatio <= status.comp_size;
  if (!plausible || status.comp_size > archiveSize) {
    throw damaged(
        "an entry claims " + std::to_string(status.size) + " bytes, more than the archive can hold",
        m_file, status.name);
  }
  return {status.name, status.size, stored, index};
}

std::unique_ptr<ByteSource> ZipArchive::open(const Entry& entry) const {
  return std::make_unique<EntrySource>(m_handle, entry, m_file);
}

}  // namespace quantscope
