#include "analysis/errors/error_store.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_file.h"
#include "fuzz/small_model.h"
#include "project/project_file.h"

using namespace quantscope;

QUANTSCOPE_FUZZ_TARGET(project) {
  static const test::FuzzedFolder folder;
  const std::filesystem::path file = folder.write("fuzzed.quantscope", bytes);
  for (const ProjectFile::Access access : {ProjectFile::Access::Read, ProjectFile::Access::Write}) {
    test::mayRefuse([&] {
      const ProjectFile project(file, access);
      test::mayRefuse([&] { project.outline(); });
      test::mayRefuse([&] { project.analysis(test::smallModel().graph()); });
      ErrorStore store(std::size_t{1} << 20);
      test::mayRefuse([&] { project.loadErrors(store, "origin"); });
    });
  }
}
