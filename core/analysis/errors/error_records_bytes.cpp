#include "analysis/errors/error_records_bytes.h"

#include "quant/quant_bytes.h"

namespace quantscope {

template <class Archive>
void carry(Archive& archive, ErrorSums& sums) {
  carryAll(archive, sums.count, sums.nonFinite, sums.referenceSquared, sums.valueSquared,
           sums.product, sums.error, sums.absoluteError, sums.squaredError, sums.maxAbsoluteError);
}

template <class Archive>
void carry(Archive& archive, ErrorRecord& record) {
  carry(archive, record.samples);
}

template <class Archive>
void carry(Archive& archive, BinRecord& record) {
  carry(archive, record.counts);
  // Code that adds bins up relies on equal numbers of bins.
  if constexpr (Archive::kReads) {
    const std::size_t bins = record.counts.size();
    if (bins != 0 && bins != BinRecord::kBins) archive.fail("are damaged");
  }
}

template <class Archive>
void carry(Archive& archive, ClipRecord& record) {
  carryAll(archive, record.clipped, record.total, record.squares, record.range);
}

template <class Archive>
void carry(Archive& archive, OutputRecord::Scores& scores) {
  carryAll(archive, scores.expectedClass, scores.actualClass, scores.divergence);
}

template <class Archive>
void carry(Archive& archive, OutputRecord& record) {
  carryAll(archive, record.samples, record.classes, record.scores);
}

template <class Archive>
void carry(Archive& archive, PowerRecord::Powers& powers) {
  carryAll(archive, powers.reference, powers.error);
}

template <class Archive>
void carry(Archive& archive, PowerRecord& record) {
  carry(archive, record.samples);
}

namespace {

template <class Record>
AnyRecord readRecord(ByteReader& reader) {
  Record record;
  carry(reader, record);
  reader.requireEnd();
  return std::make_shared<const Record>(std::move(record));
}

}  // namespace

std::string errorRecordToBytes(const AnyRecord& record) {
  ByteWriter writer;
  writer(static_cast<std::uint8_t>(record.index()));
  std::visit(
      [&](const auto& each) {
        auto copy = *each;
        carry(writer, copy);
      },
      record);
  return writer.take();
}

AnyRecord errorRecordFromBytes(std::string_view bytes, const std::string& source) {
  const BytesOf of{"the kept errors", source, "analyse again"};
  ByteReader reader(bytes, of);
  std::uint8_t kind = 0;
  reader(kind);
  switch (kind) {
    case 0:
      return readRecord<ErrorRecord>(reader);
    case 1:
      return readRecord<BinRecord>(reader);
    case 2:
      return readRecord<ClipRecord>(reader);
    case 3:
      return readRecord<OutputRecord>(reader);
    case 4:
      return readRecord<PowerRecord>(reader);
    default:
      reader.fail("are damaged");
  }
}

}  // namespace quantscope
