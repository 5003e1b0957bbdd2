#include "search/measured/tied_units.h"

#include <map>

#include "precision/sharing/union_find.h"

namespace quantscope {

std::vector<std::vector<std::size_t>> tiedUnits(const IntegerProgram& program) {
  UnionFind ties(program.units.size());
  for (const auto* sets : {&program.together, &program.alike}) {
    for (const std::vector<std::size_t>& set : *sets) {
      for (const std::size_t unit : set) ties.unite(set.front(), unit);
    }
  }
  std::vector<std::vector<std::size_t>> tied;
  std::map<std::size_t, std::size_t> places;  // by the representative of a set
  for (std::size_t unit = 0; unit < program.units.size(); ++unit) {
    const auto [place, isNew] = places.try_emplace(ties.find(unit), tied.size());
    if (isNew) tied.emplace_back();
    tied[place->second].push_back(unit);
  }
  return tied;
}

}  // namespace quantscope
