// Works on a project as another process, for tests that stop it or take its rights away.
//   edit FILE SEED  works on the document without end; says "N" when the Nth thing is on disk
//   hold FILE       keeps it open until standard input ends
//   try FILE        without the rights of root opens it, does one thing to it, and says what went
//                   wrong, if anything did

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

#include "project/project_file.h"
#include "project/random_work.h"

namespace {

constexpr unsigned kNobody = 65534;

using quantscope::Document;
using quantscope::ProjectFile;

void say(const std::string& line) {
  std::cout << line << std::endl;
}

int editWithoutEnd(const std::string& file, unsigned seed) {
  ProjectFile project(file);
  Document document = project.document();
  std::mt19937 random(seed);
  say("ready");
  for (std::size_t done = 1;; ++done) {
    quantscope::test::workOn(document, random);
    project.record(document);
    // Results are written in between, and have to stay out of the way.
    project.setWindowState("docks", std::string(1000 + 50 * (done % 97), 'x'));
    while (project.unsaved()) std::this_thread::yield();
    say(std::to_string(done));
  }
}

int hold(const std::string& file) {
  const ProjectFile project(file);
  say("ready");
  std::string line;
  std::getline(std::cin, line);
  return 0;
}

// The user "nobody" may not read the checkout if it lies in a folder of root's, so the program
// starts as root.
bool dropRights() {
  return ::getuid() != 0 || (::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
}

int tryIt(const std::string& file) {
  if (!dropRights()) return 3;
  ProjectFile project(file);
  say(project.readOnly() ? "read only" : "writable");
  Document document = project.document();
  document.apply(quantscope::Dismissal{"outlier/child"});
  project.record(document);
  project.flush();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string command = argv[1];
  try {
    if (command == "edit" && argc == 4) return editWithoutEnd(argv[2], std::stoul(argv[3]));
    if (command == "hold") return hold(argv[2]);
    if (command == "try") return tryIt(argv[2]);
  } catch (const std::exception& error) {
    say(error.what());
    return 1;
  }
  return 2;
}
