// SPDX-License-Identifier: MIT
#ifndef CLOCKWISE_FWD_HPP
#define CLOCKWISE_FWD_HPP

// Forward declarations, for headers that only name these types. Only these declarations have the
// default template arguments.

#include <concepts>  // unsigned_integral
#include <cstdint>   // uint16_t, uint64_t
#include <string>    // string

#include "clockwise/hash_function.hpp"

namespace clockwise {

enum class Position : std::uint64_t;
enum class Spread : unsigned char;
struct Arc;
struct Fingerprint;
struct NodeOptions;
struct RingOptions;
struct MaglevOptions;
struct MultiProbeOptions;
struct SlotMapOptions;

class Replication;
template <class Node>
class ReplicaList;
template <class Node>
struct Entry;
template <class Node>
struct Member;

/// The lookup index: finds the vnode at or after a position in about one memory read, and takes up
/// to 8 additional bytes per position (12 with a 32-bit Index; 2.6 on a large ring). Every change
/// rebuilds it.
struct BucketIndex {};
/// No index: binary search, for many rings or rare lookups.
struct NoIndex {};

template <HashFunction Hash = Xxh3, class Node = std::string,
          std::unsigned_integral Index = std::uint16_t, class Lookup = BucketIndex>
class HashRing;

template <HashFunction Hash = Xxh3, class Node = std::string,
          std::unsigned_integral Index = std::uint16_t, class Lookup = BucketIndex>
class TokenRing;

template <HashFunction Hash = Xxh3, class Node = std::string>
class ModN;

template <HashFunction Hash = Xxh3, class Node = std::string>
class Rendezvous;

template <HashFunction Hash = Xxh3, class Node = std::string>
class JumpHash;

template <HashFunction Hash = Xxh3, class Node = std::string>
class JumpBackHash;

template <HashFunction Hash = Xxh3, class Node = std::string>
class Maglev;

template <HashFunction Hash = Xxh3, class Node = std::string>
class MultiProbe;

template <HashFunction Hash = Xxh3, class Node = std::string,
          std::unsigned_integral Index = std::uint16_t>
class SlotMap;

}  // namespace clockwise

#endif  // CLOCKWISE_FWD_HPP
