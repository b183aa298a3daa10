#pragma once

#include <deque>
#include <string>
#include <unordered_set>
#include <vector>

#include "store/sqlite/database.hpp"

namespace flowfabric::sqlite {

// Merges the claim orders of several ranges. Each is a statement that is stepped as far as the merge needs it, so that
// a claim over some of them reads hardly more rows than it returns; of many it reads a share of each.
class ClaimSelector {
  public:
    ClaimSelector(const Database& database, DamageLog& damage);

    // What the selections of one load have got.
    struct Taken {
        std::unordered_set<ExecutionId> ids;
        std::size_t bytes = 0;  // of their inputs
    };

    // Up to `selection.count` rows of each kind that are not taken yet, and takes them.
    Claimable select(const ClaimSelection& selection, std::int64_t now_ms, Taken& taken);

  private:
    // Statements of one text, one per range that is read at the same time.
    class Pool {
      public:
        Pool(const Database& database, std::string sql) : database_(database), sql_(std::move(sql)) {}
        Statement& at(std::size_t index);

      private:
        const Database& database_;
        std::string sql_;
        std::deque<Statement> statements_;
    };

    std::vector<LevelHead> heads(const ClaimSelection& selection);
    // Those of the classes, which ascend, that have reclaimable rows. Hardly any has: it goes from one that has to the
    // next instead of looking into each.
    std::vector<std::int32_t> with_reclaimable(const std::vector<std::int32_t>& class_ids);

    // Those that come first, with their input.
    void take_first(std::vector<ExecutionRow> rows, std::uint32_t count, Taken& taken, Claimable& found);

    DamageLog& damage_;
    Pool reclaimable_, levels_, tails_;
    Statement head_, next_reclaimable_, input_;
};

}  // namespace flowfabric::sqlite
