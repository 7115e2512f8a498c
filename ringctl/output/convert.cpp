// SPDX-License-Identifier: MIT
#include "output/convert.hpp"

#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"

namespace ringctl {

std::string to_csv(const Membership& membership) {
  if (!membership.vnodes) {
    throw InputError(membership.name + ": a fleet file cannot hold the tokens of a token ring");
  }
  std::string text = "id,weight,rack,datacenter\n";
  for (const auto& [id, options, tokens] : membership.rows) {
    text += csv_field(id) + ',' + exact(options.weight) + ',' + csv_field(options.rack) + ',' +
            csv_field(options.datacenter) + '\n';
  }
  return text;
}

std::string to_json(const Membership& membership) {
  Json members = Json::array();
  for (const auto& [id, options, tokens] : membership.rows) {
    Json member{{"id", json_value(id)}, {"weight", options.weight}};
    if (!options.rack.empty()) member["rack"] = json_value(options.rack);
    if (!options.datacenter.empty()) member["datacenter"] = json_value(options.datacenter);
    if (!membership.vnodes) member["tokens"] = tokens;
    members.push_back(std::move(member));
  }
  Json document{{"contract", placement_contract}, {"hash", membership.policy}};
  document["seed"] = membership.seed;
  if (membership.vnodes) document["vnodes"] = *membership.vnodes;
  document["members"] = std::move(members);
  return document.dump(2) + '\n';
}

}  // namespace ringctl
