// SPDX-License-Identifier: MIT
#include "output/fingerprint.hpp"

#include <cstddef>

#include "model/text.hpp"
#include "output/stream.hpp"

namespace ringctl {

namespace {

std::string described(const Membership& membership, std::size_t index) {
  const auto& row = membership.rows[index];
  std::string text = shown(row.id) + "  weight " + exact(row.options.weight);
  if (!row.options.rack.empty()) text += ", rack " + shown(row.options.rack);
  if (!row.options.datacenter.empty()) text += ", datacenter " + shown(row.options.datacenter);
  if (!membership.vnodes) text += ", " + counted(row.tokens.size(), "token");
  return text;
}

std::string rules_of(const Membership& membership) {
  const std::string text = membership.policy + ", seed " + std::to_string(membership.seed);
  return text + (membership.vnodes ? ", " + grouped(*membership.vnodes) + " vnodes" : ", tokens");
}

void print_rows(Output& out, const Membership& membership,
                const std::vector<std::size_t>& indices) {
  if (indices.empty()) return;
  out << "\nOnly in " << membership.name << ":\n";
  for (const std::size_t index : indices) out << "  " << described(membership, index) << "\n";
}

void print_difference(Output& out, const Membership& first, const Membership& second) {
  const auto found = difference(first, second);
  if (found.rules) {
    out << "\nKeys are placed by different rules:\n  " << first.name << ": " << rules_of(first)
        << "\n  " << second.name << ": " << rules_of(second) << "\n";
  }
  print_rows(out, first, found.only_first);
  print_rows(out, second, found.only_second);
  if (!found.changed.empty()) out << "\nIn both, but different:\n";
  for (const auto& [one, other] : found.changed) {
    out << "  " << described(first, one) << "\n  " << described(second, other) << "\n";
  }
}

}  // namespace

void print_fingerprints(const std::vector<FingerprintRow>& rows) {
  Output out;
  for (const auto& [membership, fingerprint] : rows) {
    out << fingerprint << "  " << membership.name << "\n";
  }
  for (const auto& [membership, fingerprint] : rows) {
    if (fingerprint != rows.front().fingerprint) {
      print_difference(out, rows.front().membership, membership);
    }
  }
  out.flush();
}

}  // namespace ringctl
