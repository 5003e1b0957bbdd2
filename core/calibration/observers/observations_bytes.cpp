#include "calibration/observers/observations_bytes.h"

#include <zlib.h>

#include "base/files/byte_archive.h"
#include "kernels/statistics/log_linear_bins.h"
#include "quant/quant_bytes.h"

namespace quantscope {
namespace {

constexpr std::string_view kMagic = "QSobserv";
constexpr std::uint32_t kVersion = 2;
// |bin| of a linear histogram: its width is at least absmax · 2^−22.
constexpr std::int32_t kMaxLinearBin = 1 << 23;

std::uint32_t checksumOf(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

template <class Archive>
void carry(Archive& archive, CentralMoments& moments) {
  carryAll(archive, moments.count, moments.mean, moments.m2, moments.m3, moments.m4);
}

static BinCounts readBins(ByteReader& archive, std::int32_t lowest, std::int32_t highest) {
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

static void writeBins(ByteWriter& archive, const BinCounts& counts) {
  std::uint64_t bins = 0;
  counts.forEach([&](std::int32_t, std::uint64_t) { ++bins; });
  archive(bins);
  counts.forEach([&](std::int32_t bin, std::uint64_t count) {
    archive(bin);
    archive(count);
  });
}

void carry(ByteWriter& archive, LinearHistogram& histogram) {
  archive(std::int32_t{histogram.widthExponent()});
  writeBins(archive, histogram.counts());
}
void carry(ByteReader& archive, LinearHistogram& histogram) {
  std::int32_t exponent = 0;
  archive(exponent);
  if (exponent < -126 || exponent > 127) archive.fail("are damaged");
  histogram = LinearHistogram(exponent, readBins(archive, -kMaxLinearBin, kMaxLinearBin));
}

void carry(ByteWriter& archive, LogLinearHistogram& histogram) {
  writeBins(archive, histogram.counts());
}
void carry(ByteReader& archive, LogLinearHistogram& histogram) {
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

std::string observationsToBytes(const Observations& observations, const Graph& graph) {
  ByteWriter writer;
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
  ByteWriter checksum;
  checksum(checksumOf(body));
  return std::string(kMagic) + body + checksum.take();
}

Observations observationsFromBytes(std::string_view bytes, const Graph& graph,
                                   const std::string& source) {
  constexpr std::size_t kAround = kMagic.size() + sizeof(std::uint32_t);
  const BytesOf of{"the kept observations", source, "calibrate again"};
  const ByteReader whole(bytes, of);
  if (!bytes.starts_with(kMagic)) whole.fail("are none: the text begins otherwise");
  if (bytes.size() < kAround + sizeof kVersion) whole.fail("are cut off");
  const std::string_view body = bytes.substr(kMagic.size(), bytes.size() - kAround);
  ByteReader reader(body, of);
  reader.version({kVersion});
  std::uint32_t checksum = 0;
  ByteReader(bytes.substr(bytes.size() - sizeof checksum), of)(checksum);
  if (checksum != checksumOf(body)) reader.fail("are damaged");
  std::uint64_t samples = 0;
  reader(samples);
  const std::size_t count = reader.count(sizeof(char));
  if (count > graph.values().size()) reader.fail("are of another model");
  std::vector<std::optional<Observation>> values(count);
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
  reader.requireEnd();
  if (products.size() > graph.nodes().size()) reader.fail("are of another model");
  return {static_cast<std::size_t>(samples), std::move(values), std::move(products)};
}

}  // namespace quantscope
