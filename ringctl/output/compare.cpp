// SPDX-License-Identifier: MIT
#include "output/compare.hpp"

#include <string>
#include <utility>

#include "model/text.hpp"
#include "output/csv.hpp"
#include "output/json.hpp"
#include "output/stream.hpp"
#include "output/table.hpp"

namespace ringctl {

namespace {

/// Every scheme has these; CSV and JSON keep the columns.
constexpr const char* replicas_on = "nodes, racks, datacenters";

const char* yes_or_no(bool value) { return value ? "yes" : "no"; }

void print_text(const Comparison& comparison) {
  Table speed({"scheme", ">lookup ns", ">build ms", ">bytes", ">peak/mean", ">CV"});
  Table moves({"scheme", ">join moves", ">leave moves", "weights", "shared state"});
  for (const SchemeResult& scheme : comparison.schemes) {
    speed.add({scheme.name, fixed(scheme.lookup_ns, 1), fixed(scheme.build_ms, 3),
               grouped(scheme.bytes), fixed(scheme.peak_to_mean, 3), percent(scheme.cv)});
    moves.add({scheme.name, percent(scheme.join_moves),
               scheme.leave_moves ? percent(*scheme.leave_moves) : "cannot",
               yes_or_no(scheme.weights), scheme.shared_state});
  }
  moves.add({"(floor)", percent(comparison.join_floor), percent(comparison.leave_floor)});

  TextOutput out;
  out << counted(comparison.nodes, "node") << ", " << grouped(comparison.keys) << " keys, "
      << placement_text(comparison.placement) << ", ring of "
      << grouped(comparison.placement.vnodes) << " vnodes at weight 1\n\n";
  speed.print(out);
  out << "\n";
  moves.print(out);
  out << "\nTimes are CPU time, best of three, with keys already hashed. Loads are counted\n"
         "over the keys, relative to fair loads by weight. \""
      << comparison.joiner << "\" joins with weight 1;\n\"" << comparison.leaver
      << "\", in the middle of the file, leaves.\n";
  out.flush();
}

void print_csv(const Comparison& comparison) {
  Output out;
  out << "scheme,lookup_ns,build_ms,bytes,peak_to_mean,cv,join_moves,join_floor,leave_moves,"
         "leave_floor,weights,replicas,shared_state\n";
  for (const SchemeResult& scheme : comparison.schemes) {
    out << scheme.name << "," << exact(scheme.lookup_ns) << "," << exact(scheme.build_ms) << ","
        << std::to_string(scheme.bytes) << "," << exact(scheme.peak_to_mean) << ","
        << exact(scheme.cv) << "," << exact(scheme.join_moves) << ","
        << exact(comparison.join_floor) << ","
        << (scheme.leave_moves ? exact(*scheme.leave_moves) : "") << ","
        << exact(comparison.leave_floor) << "," << yes_or_no(scheme.weights) << ","
        << csv_field(replicas_on) << "," << csv_field(scheme.shared_state) << "\n";
  }
  out.flush();
}

void print_json(const Comparison& comparison) {
  Json schemes = Json::array();
  for (const SchemeResult& scheme : comparison.schemes) {
    schemes.push_back({{"scheme", scheme.name},
                       {"lookup_ns", scheme.lookup_ns},
                       {"build_ms", scheme.build_ms},
                       {"bytes", scheme.bytes},
                       {"peak_to_mean", scheme.peak_to_mean},
                       {"cv", scheme.cv},
                       {"join_moves", scheme.join_moves},
                       {"leave_moves", scheme.leave_moves ? Json(*scheme.leave_moves) : Json()},
                       {"weights", scheme.weights},
                       {"replicas", replicas_on},
                       {"shared_state", scheme.shared_state}});
  }
  print_document({{"nodes", comparison.nodes},
                  {"keys", comparison.keys},
                  {"hash", hash_name(comparison.placement)},
                  {"vnodes", comparison.placement.vnodes},
                  {"joiner", json_value(comparison.joiner)},
                  {"leaver", json_value(comparison.leaver)},
                  {"join_floor", comparison.join_floor},
                  {"leave_floor", comparison.leave_floor},
                  {"schemes", std::move(schemes)}});
}

}  // namespace

void print_comparison(const Comparison& comparison, Format format) {
  print_as(
      format, [&] { print_text(comparison); }, [&] { print_csv(comparison); },
      [&] { print_json(comparison); });
}

}  // namespace ringctl
