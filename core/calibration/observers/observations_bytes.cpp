#include "calibration/observers/observations_bytes.h"

#include <zlib.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "kernels/log_linear_bins.h"

namespace quantscope {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "QSobserv";
constexpr std::uint32_t kVersion = 2;
// |bin| of a linear histogram: its width is at least absmax · 2^−22.
constexpr std::int32_t kMaxLinearBin = 1 << 23;

std::uint32_t checksumOf(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

template <class Number>
concept Plain = std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>;

class Writer {
 public:
  static constexpr bool kReads = false;

  template <Plain Number>
  void operator()(const Number& number) {
    m_bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void operator()(const bool& flag) { m_bytes += flag ? '\1' : '\0'; }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    m_bytes += text;
  }
  std::string take() { return std::move(m_bytes); }

 private:
  std::string m_bytes;
};

class Reader {
 public:
  static constexpr bool kReads = true;

  Reader(std::string_view bytes, const std::string& source) : m_left(bytes), m_source(source) {}

  template <Plain Number>
  void operator()(Number& number) {
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
  }
  void operator()(bool& flag) {
    const char byte = take(1).front();
    if (byte != 0 && byte != 1) fail("are damaged");
    flag = byte == 1;
  }
  void operator()(std::string& text) { text = take(count(1)); }

  /// How many elements of at least so many bytes come; no more than the bytes that are left.
  std::size_t count(std::size_t leastBytes) {
    std::uint64_t number = 0;
    (*this)(number);
    if (number > m_left.size() / leastBytes) fail("are cut off");
    return static_cast<std::size_t>(number);
  }
  bool atEnd() const { return m_left.empty(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::InvalidData, "the kept observations " + what,
                {.file = m_source, .node = {}, .value = {}}, "calibrate again");
  }

 private:
  std::string_view take(std::size_t bytes) {
    if (bytes > m_left.size()) fail("are cut off");
    const std::string_view taken = m_left.substr(0, bytes);
    m_left.remove_prefix(bytes);
    return taken;
  }

  std::string_view m_left;
  const std::string& m_source;
};

// One description of every type for both directions: carry(archive, object) hands each field over.

template <class Archive, Plain Number>
void carry(Archive& archive, Number& number) {
  archive(number);
}
template <class Archive>
void carry(Archive& archive, bool& flag) {
  archive(flag);
}

template <class Archive, class... Fields>
void carryAll(Archive& archive, Fields&... fields);

template <class Archive, class Element>
void carry(Archive& archive, std::vector<Element>& elements) {
  if constexpr (Archive::kReads) {
    elements.clear();
    elements.resize(archive.count(sizeof(char)));
  } else {
    archive(std::uint64_t{elements.size()});
  }
  for (Element& element : elements) carry(archive, element);
}

template <class Archive, class Of>
void carry(Archive& archive, std::optional<Of>& optional) {
  bool there = optional.has_value();
  archive(there);
  if constexpr (Archive::kReads) {
    optional.reset();
    if (there) optional.emplace();
  }
  if (there) carry(archive, *optional);
}

template <class Archive>
void carry(Archive& archive, Range& range) {
  carryAll(archive, range.low, range.high, range.empty);
}

template <class Archive>
void carry(Archive& archive, CentralMoments& moments) {
  carryAll(archive, moments.count, moments.mean, moments.m2, moments.m3, moments.m4);
}

BinCounts readBins(Reader& archive, std::int32_t lowest, std::int32_t highest) {
  BinCounts counts;
  for (std::size_t left = archive.count(sizeof(std::int32_t) + sizeof(std::uint64_t)); left > 0;
       --left) {
    std::int32_t bin = 0;
    std::uint64_t count = 0;
    carryAll(archive, bin, count);
    if (bin < lowest || bin > highest) archive.fail("are damaged");
    counts.add(bin, count);
  }
  return counts;
}

void writeBins(Writer& archive, const BinCounts& counts) {
  std::uint64_t bins = 0;
  counts.forEach([&](std::int32_t, std::uint64_t) { ++bins; });
  archive(bins);
  counts.forEach([&](std::int32_t bin, std::uint64_t count) {
    archive(bin);
    archive(count);
  });
}

void carry(Writer& archive, LinearHistogram& histogram) {
  archive(std::int32_t{histogram.widthExponent()});
  writeBins(archive, histogram.counts());
}
void carry(Reader& archive, LinearHistogram& histogram) {
  std::int32_t exponent = 0;
  archive(exponent);
  if (exponent < -126 || exponent > 127) archive.fail("are damaged");
  histogram = LinearHistogram(exponent, readBins(archive, -kMaxLinearBin, kMaxLinearBin));
}

void carry(Writer& archive, LogLinearHistogram& histogram) {
  writeBins(archive, histogram.counts());
}
void carry(Reader& archive, LogLinearHistogram& histogram) {
  histogram = LogLinearHistogram(readBins(archive, 0, kLogLinearBins - 1));
}

template <class Archive>
void carry(Archive& archive, ChannelHistogram& channel) {
  carryAll(archive, channel.linear, channel.logLinear);
}

template <class Archive>
void carry(Archive& archive, MovingAverageRange& moving) {
  carryAll(archive, moving.constant, moving.range, moving.channels);
}

template <class Archive>
void carry(Archive& archive, TailStatistics& tail) {
  carryAll(archive, tail.ratioSum, tail.batches, tail.sparseBatches, tail.observerAverage,
           tail.observerBatches);
}

template <class Archive>
void carry(Archive& archive, ChannelReport& channel) {
  carryAll(archive, channel.range, channel.moments, channel.upper, channel.lower,
           channel.constantBatches);
}

template <class Archive>
void carry(Archive& archive, ModelReport& report) {
  carryAll(archive, report.axis, report.referenceQuantile, report.channels);
}

template <class Archive>
void carry(Archive& archive, Observation& o) {
  carryAll(archive, o.samples, o.count, o.nonFinite, o.float16Overflows, o.bfloat16Overflows,
           o.range, o.mean, o.standardDeviation, o.kurtosis, o.channelAxis, o.channels,
           o.channelHistograms, o.movingAverages, o.batches, o.averageBatchRange, o.batchToEpoch,
           o.batchRanges, o.batchesPerRange, o.modelReports, o.linear, o.logLinear);
}

template <class Archive, class... Fields>
void carryAll(Archive& archive, Fields&... fields) {
  (carry(archive, fields), ...);
}

}  // namespace

std::string observationsToBytes(const Observations& observations, const Graph& graph) {
  Writer writer;
  writer(kVersion);
  writer(std::uint64_t{observations.samples()});
  const std::vector<std::optional<Observation>>& values = observations.byValue();
  writer(std::uint64_t{values.size()});
  for (std::size_t i = 0; i < values.size(); ++i) {
    writer(values[i].has_value());
    if (!values[i]) continue;
    writer(graph[ValueId(i)].name);
    Observation observation = *values[i];
    carry(writer, observation);
  }
  std::vector<double> products = observations.products();
  carry(writer, products);
  const std::string body = writer.take();
  Writer checksum;
  checksum(checksumOf(body));
  return std::string(kMagic) + body + checksum.take();
}

Observations observationsFromBytes(std::string_view bytes, const Graph& graph,
                                   const std::string& source) {
  constexpr std::size_t kAround = kMagic.size() + sizeof(std::uint32_t);
  const Reader whole(bytes, source);
  if (!bytes.starts_with(kMagic)) whole.fail("are none: the text begins otherwise");
  if (bytes.size() < kAround + sizeof kVersion) whole.fail("are cut off");
  const std::string_view body = bytes.substr(kMagic.size(), bytes.size() - kAround);
  Reader reader(body, source);
  std::uint32_t version = 0;
  reader(version);
  if (version != kVersion) reader.fail("are of version " + std::to_string(version));
  std::uint32_t checksum = 0;
  Reader(bytes.substr(bytes.size() - sizeof checksum), source)(checksum);
  if (checksum != checksumOf(body)) reader.fail("are damaged");
  std::uint64_t samples = 0;
  reader(samples);
  std::vector<std::optional<Observation>> values(reader.count(sizeof(char)));
  if (values.size() > graph.values().size()) reader.fail("are of another model");
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool there = false;
    reader(there);
    if (!there) continue;
    std::string name;
    reader(name);
    if (graph[ValueId(i)].name != name) reader.fail("are of another model");
    carry(reader, values[i].emplace());
  }
  std::vector<double> products;
  carry(reader, products);
  if (!reader.atEnd()) reader.fail("are damaged");
  if (products.size() > graph.nodes().size()) reader.fail("are of another model");
  return {static_cast<std::size_t>(samples), std::move(values), std::move(products)};
}

}  // namespace quantscope
