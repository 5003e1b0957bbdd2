#include <cstring>
#include <memory>

#include "fuzz/fuzz_target.h"
#include "tensor/npy.h"

using namespace quantscope;

namespace {

class Bytes : public ByteSource {
 public:
  explicit Bytes(std::string_view bytes) : m_bytes(bytes) {}

  std::uint64_t size() const override { return m_bytes.size(); }
  void read(std::uint64_t offset, std::span<std::byte> target) override {
    if (offset > m_bytes.size() || target.size() > m_bytes.size() - offset) {
      throw Error(ErrorCode::InvalidData, "the bytes end early");
    }
    if (!target.empty()) std::memcpy(target.data(), m_bytes.data() + offset, target.size());
  }

 private:
  std::string_view m_bytes;
};

}  // namespace

QUANTSCOPE_FUZZ_TARGET(npy) {
  test::mayRefuse([&] {
    NpyReader reader(std::make_unique<Bytes>(bytes), {});
    const Tensor whole = reader.read();
    if (whole.shape().empty()) return;
    // Row by row it is the same array.
    const std::int64_t rows = whole.shape()[0];
    for (std::int64_t row = 0; row < rows && row < 64; ++row) {
      const Tensor one = reader.readRows(row, 1);
      const auto* const expected = whole.bytes() + static_cast<std::size_t>(row) * one.byteSize();
      test::require(std::memcmp(one.bytes(), expected, one.byteSize()) == 0, "a row differs");
    }
  });
}
