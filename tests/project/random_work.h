#pragma once

#include <random>

#include "project/document.h"

namespace quantscope::test {

/// The start configuration in tests of documents.
Configuration startOfWork();

/// One random action on a document: an edit, undo, redo, a name given or taken. The same for the
/// same state of `random`.
void workOn(Document& document, std::mt19937& random);

}  // namespace quantscope::test
