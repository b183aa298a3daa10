#pragma once

#include <optional>
#include <vector>

#include "core/rows/row_type.hpp"
#include "store/port.hpp"
#include "store/postgres/sql/statements.hpp"

namespace flowfabric::postgres {

// One batch's load: begins a transaction and locks its rows in one round trip. Keys that did not come back, and rows
// that executions own, cost a second one.
class Load {
  public:
    // `now_ms`: instead of the server's clock.
    Load(Connection& connection, const LoadRequest& request, std::optional<std::int64_t> now_ms, DamageLog& damage)
        : connection_(connection), request_(request), now_ms_(now_ms), damage_(damage) {}

    Loaded run();

  private:
    // What a claim has taken so far.
    struct Taken {
        std::uint32_t reclaimable = 0;
        std::uint32_t eligible = 0;
    };

    template <class Key>
    void send(const LookupStatement& statement, const std::vector<Key>& keys);
    void send_claim(const ClaimSelection& claim, std::int64_t limit);
    std::int64_t limit_of(std::size_t index) const;
    // Of the rows that have a record in this column.
    std::vector<ExecutionRow> read_executions(const Rows& rows, Loaded& loaded, std::size_t column = 0);
    void read_claim(std::size_t index, const Rows& rows, Claimable& claimable);
    void look_behind_damage(Loaded& loaded);
    void load_signals(SideTables& side, const Rows& rows);
    using Results = std::vector<Rows>::const_iterator;
    void send_side(const RowType& type);
    void read_side(const RowType& type, Results& next, Loaded& loaded);
    void send_children();
    void read_children(Results& next, Loaded& loaded);
    void send_live_members();
    void read_live_members(Results& next, Loaded& loaded);
    void send_members_and_ends();
    void read_members_and_ends(Results& next, Loaded& loaded);
    void look_again(Loaded& loaded);

    Connection& connection_;
    const LoadRequest& request_;
    const std::optional<std::int64_t> now_ms_;
    DamageLog& damage_;
    std::vector<ExecutionId> claimed_;       // by the selections read so far, sorted
    std::vector<Taken> taken_;               // by each of them
    std::size_t claimed_bytes_ = 0;          // of their inputs
    std::vector<std::size_t> short_;         // claims that have come upon damaged rows
    std::vector<ExecutionId> large_inputs_;  // of claimed rows, to be read by themselves
};

}  // namespace flowfabric::postgres
