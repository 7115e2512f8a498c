// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_TESTS_SUPPORT_GOLDEN_SCHEME_CHECKS_HPP
#define CLOCKWISE_TESTS_SUPPORT_GOLDEN_SCHEME_CHECKS_HPP

// Compares the schemes other than the ring with golden_schemes.hpp, as golden_checks.hpp does for
// the ring.

#include <cstddef>      // size_t
#include <iterator>     // size
#include <string>       // string
#include <string_view>  // string_view
#include <utility>      // pair
#include <vector>       // vector

#include "../golden_schemes.hpp"
#include "clockwise/jump.hpp"
#include "clockwise/maglev.hpp"
#include "clockwise/multi_probe.hpp"
#include "clockwise/node.hpp"
#include "clockwise/rendezvous.hpp"
#include "clockwise/slot_map.hpp"

namespace golden {

/// A preference list as digits: the numbers of the nodes in scheme_nodes.
template <class Scheme>
std::string preference(const Scheme& scheme, std::string_view key, std::size_t r) {
  std::string text;
  for (const std::string& node : scheme.preference_list(key, r)) {
    for (std::size_t i = 0; i < std::size(scheme_nodes); ++i) {
      if (scheme_nodes[i].id == node) text += static_cast<char>('0' + i);
    }
  }
  return text;
}

/// Calls report(ok, what) for each check.
template <class Report>
void check_schemes(Report report) {
  using clockwise::MaglevOptions;
  clockwise::Rendezvous<> rendezvous, rendezvous_weighted;
  clockwise::JumpHash<> jump;
  clockwise::JumpBackHash<> jump_back;
  clockwise::Maglev<> maglev(MaglevOptions{maglev_size}),
      maglev_weighted(MaglevOptions{maglev_size});
  clockwise::MultiProbe<> multi_probe;
  clockwise::SlotMap<> slot_map(clockwise::SlotMapOptions{slots});
  std::vector<std::pair<std::string, clockwise::NodeOptions>> all;
  for (const SchemeNode& node : scheme_nodes) {
    const std::string id(node.id);
    rendezvous.add(id);
    rendezvous_weighted.add(id, node.weight);
    jump.add(id);
    jump_back.add(id);
    maglev.add(id);
    maglev_weighted.add(id, node.weight);
    multi_probe.add(id);
    all.emplace_back(id, clockwise::NodeOptions{node.weight, {}, {}});
  }
  slot_map.add_all(all);
  auto jump_back_gaps = jump_back;
  jump_back_gaps.remove(scheme_nodes[6].id);
  jump_back_gaps.remove(scheme_nodes[2].id);

  for (const SchemeOwners& expected : scheme_owners) {
    const auto check = [&](const std::string& scheme, std::string_view order,
                           const auto& placement) {
      report(preference(placement, expected.key, order.size()) == order,
             scheme + " of \"" + std::string(expected.key) + '"');
    };
    check("rendezvous", expected.rendezvous, rendezvous);
    check("weighted rendezvous", expected.rendezvous_weighted, rendezvous_weighted);
    check("jump hash", expected.jump, jump);
    check("JumpBackHash", expected.jump_back, jump_back);
    check("JumpBackHash with gaps", expected.jump_back_gaps, jump_back_gaps);
    check("Maglev", expected.maglev, maglev);
    check("weighted Maglev", expected.maglev_weighted, maglev_weighted);
    check("multi-probe", expected.multi_probe, multi_probe);
    report(slot_map.slot_of(expected.key) == expected.slot,
           "the slot of \"" + std::string(expected.key) + '"');
  }
  std::string owners;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    owners += static_cast<char>('0' + slot_map.index_of(slot_map.owner_of(slot)));
  }
  report(owners == slot_owners, "the table of a slot map");
}

}  // namespace golden

#endif  // CLOCKWISE_TESTS_SUPPORT_GOLDEN_SCHEME_CHECKS_HPP
