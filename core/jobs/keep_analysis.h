#pragma once

#include "jobs/run_analysis.h"
#include "project/project_file.h"

namespace quantscope {

/// The files of a request with their content, as a document names them. `model`: the one that was
/// loaded. Files whose stamps are those of `known` are not read again. Throws Error(Io).
DocumentFiles filesOf(const AnalysisRequest& request, const LoadedModel& model,
                      const DocumentFiles& known);
AnalysisSettings settingsOf(const AnalysisRequest& request);
/// The analysis that a document asks for.
AnalysisRequest requestOf(const Document& document);

/// Keeps a complete analysis in a project, with the errors that were measured for it. `files`: the
/// analysed files.
void keepAnalysis(const AnalysisSnapshot& analysis, const DocumentFiles& files,
                  const AnalysisMemory& memory, ProjectFile& project);

/// The analysis that a project keeps, as a complete snapshot, without running a sample: its request
/// has the analysed configuration, which may be older than the document's. `files`: the current
/// files; `opened`: the same, opened. Null if nothing is kept, or if it is of other files or
/// settings, or of an origin whose figures differ from those of this program and machine. Throws
/// InvalidData for damaged contents.
SnapshotPtr restoreAnalysis(const ProjectFile& project, const DocumentFiles& files,
                            const OpenedAnalysis& opened, JobContext& job);

/// The same for the files that a project's document names, which are loaded and opened: the first
/// result of a window. ProjectFile::loadErrors() can follow behind. Null also where there is no
/// model or no data. Throws what openAnalysis() throws.
SnapshotPtr reopenAnalysis(const ProjectFile& project, JobContext& job);

/// Reopens the analysis of a project: publishes the kept result of the request, and continues as
/// analyzeInSteps() does if that result is of another configuration, lacks the gains of its
/// suggestions, or does not exist. The errors that the project keeps join `memory`. A damaged
/// result counts as none. Throws what analyzeInSteps() throws.
void resumeAnalysis(const AnalysisRequest& request, const ProjectFile& project,
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish);

}  // namespace quantscope
