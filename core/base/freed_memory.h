#pragma once

namespace quantscope {

/// Makes the C library keep up to 256 MiB that were freed, in place of giving them back at once: to
/// get them again costs a page fault for each 4 KiB, more than most work on them. Once, at the
/// program's start.
void keepFreedMemory();

}  // namespace quantscope
