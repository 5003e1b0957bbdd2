#pragma once

#include <string>
#include <string_view>

#include "analysis/errors/error_records.h"

namespace quantscope {

/// A record as bytes: every number bit for bit.
std::string errorRecordToBytes(const AnyRecord& record);

/// The reverse. Throws Error(InvalidData), naming `source`, for bytes that are none.
AnyRecord errorRecordFromBytes(std::string_view bytes, const std::string& source);

}  // namespace quantscope
