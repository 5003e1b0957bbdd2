#pragma once

#include <string>

namespace quantscope::test {

/// Runs SQL on a project file as another program would.
void runSql(const std::string& file, const std::string& sql);

/// Makes a project that was written last one as version 1 wrote them: the document alone.
void makeVersionOne(const std::string& file);
/// Likewise one of version 2: with one analysis, of which the observations are a part.
void makeVersionTwo(const std::string& file);

std::string bytesIn(const std::string& file);
void putBytes(const std::string& file, const std::string& bytes);

}  // namespace quantscope::test
