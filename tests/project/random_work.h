#pragma once

#include <random>

#include "project/document.h"

namespace quantscope::test {

/// What `start` is in tests of documents.
Configuration startOfWork();

/// One thing that somebody may do to a document: an edit, undo, redo, a name given or taken. The
/// same for the same state of `random`.
void workOn(Document& document, std::mt19937& random);

}  // namespace quantscope::test
