#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/errors/error_records.h"
#include "analysis/errors/error_store.h"
#include "base/content_id.h"
#include "project/storage/database.h"

namespace quantscope {

using KeyedRecord = std::pair<ContentId, AnyRecord>;

/// Adds records to the table of errors where they are not there yet, after those that are of
/// another origin have gone.
void writeErrors(Database& database, const std::vector<KeyedRecord>& records,
                 const std::string& origin);
/// Removes the records that were written first, except those of `spared`, until the remaining ones
/// take at most `most` bytes.
void pruneErrors(Database& database, const std::set<ContentId>& spared, std::size_t most);
/// Puts all records of this origin into the store, the latest last. Returns how many there were.
std::size_t readErrors(Database& database, const std::string& origin, ErrorStore& store);
/// Counts them and their bytes.
std::pair<std::size_t, std::size_t> countErrors(Database& database);

}  // namespace quantscope
