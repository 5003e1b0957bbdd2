#pragma once

#include "calibration/sample_source.h"
#include "compare/dumps/dump_folder.h"

namespace quantscope {

/// The dumps of a feed's first `samples` samples as `expected`, which the model computes of that
/// feed, holds them: itself where one run takes one sample; of several a row for each, filled up
/// with the last one, where the value has such rows; else that of the first. Throws as DumpFolder
/// does.
Tensor dumpedFeed(const DumpFolder& folder, const DumpedValue& value, const Feed& feed,
                  std::size_t samples, const Tensor& expected);

/// A value of a feed without the rows that only fill it up to the batch: float32, Plain.
Tensor countedRows(const Tensor& value, const Feed& feed, std::size_t samples);

}  // namespace quantscope
