#include "core/bulk/bulk.hpp"
#include "core/execution/cancelling.hpp"
#include "core/execution/purging.hpp"
#include "core/execution/replaying.hpp"
#include "flowfabric/execution.hpp"

// The executions of a bulk operation, from the search that finds them to the command that each gets.
namespace flowfabric {
namespace {

void end_if_finished(BulkOperationRow& row, std::int64_t now_ms) {
    if (row.state == BulkState::running && row.searched && row.open_count == 0) {
        end_bulk_operation(row, BulkState::done, now_ms);
    }
}

std::vector<BulkItemKey> keys_of(const BulkOperationId& operation, const std::vector<ExecutionId>& found) {
    std::vector<BulkItemKey> keys;
    keys.reserve(found.size());
    for (const ExecutionId& id : found) keys.push_back({operation, id});
    return keys;
}

class ListBulkItemsBody final : public CommandBody {
  public:
    ListBulkItemsBody(const BulkOperationId& operation, const SearchPlace& from, const std::optional<SearchPlace>& to,
                      const std::vector<ExecutionId>& found)
        : key_{operation}, from_(from), to_(to), items_(keys_of(operation, found)) {}

    CommandTraits traits() const override {
        return {.name = "list_bulk_items", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + items_.size() * sizeof(BulkItemKey); }
    std::span<const ExecutionId> executions() const override { return {}; }
    std::size_t rows() const override { return items_.size() + 1; }
    void name_rows(NamedRows& rows) const override {
        rows.side.of<BulkOperationRow>().keys.push_back(key_);
        auto& keys = rows.side.of<BulkItemRow>().keys;
        keys.insert(keys.end(), items_.begin(), items_.end());
    }
    std::string subject() const override { return "bulk operation " + key_.operation_id.to_string(); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        const BulkOperationRow* known = set.side.of<BulkOperationRow>().find(key_);
        const bool goes_on =
            known != nullptr && known->state == BulkState::running && !known->searched && place_of(*known) == from_;
        if (!goes_on) return Answer::of<TimerFired>({.changed = false});
        BulkOperationRow row = *known;
        for (const BulkItemKey& item : items_) {
            if (set.side.of<BulkItemRow>().find(item) != nullptr) continue;
            set.side.of<BulkItemRow>().put({.key = item, .found_at_ms = set.now_ms});
            ++row.open_count;
        }
        row.searched = !to_;
        if (to_) search_from(row, *to_);
        end_if_finished(row, set.now_ms);
        set.side.of<BulkOperationRow>().put(std::move(row));
        return Answer::of<TimerFired>({.changed = true});
    }

  private:
    BulkOperationKey key_;
    SearchPlace from_;
    std::optional<SearchPlace> to_;
    std::vector<BulkItemKey> items_;
};

// A state that the action is not for is no failure: the execution has gone on meanwhile, or another has dealt with it.
bool has_gone_on(ErrorKind refusal) {
    return refusal == ErrorKind::execution_not_found || refusal == ErrorKind::execution_not_active ||
           refusal == ErrorKind::execution_not_terminal;
}

void count_answer(const Result<Answer>& answer, BulkOperationRow& row) {
    --row.open_count;
    if (answer) {
        ++row.done_count;
    } else if (has_gone_on(answer.error().kind)) {
        ++row.skipped_count;
    } else {
        ++row.failed_count;
    }
}

// The normal command, in the transaction that counts it.
class BulkItemBody final : public CommandBody {
  public:
    BulkItemBody(const BulkItemKey& item, Command inner) : item_(item), inner_(std::move(inner)) {}

    CommandTraits traits() const override {
        return {.name = "bulk_item",
                .urgency = Urgency::bulk,
                .by_timer = true,
                .releases_work = inner_->traits().releases_work};
    }
    std::size_t bytes() const override { return sizeof(*this) + inner_->bytes(); }
    std::span<const ExecutionId> executions() const override { return inner_->executions(); }
    std::size_t rows() const override { return inner_->rows() + 1; }
    void name_rows(NamedRows& rows) const override {
        inner_->name_rows(rows);
        rows.side.of<BulkOperationRow>().keys.push_back({item_.operation_id});
        rows.side.of<BulkItemRow>().keys.push_back(item_);
    }
    void widen(const MoreRows& more) override { inner_->widen(more); }
    std::string subject() const override { return item_.execution_id.to_string(); }

    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const override {
        SideTables& side = context.set.side;
        if (side.of<BulkItemRow>().find(item_) == nullptr) return Answer::of<TimerFired>({.changed = false});
        const BulkOperationRow* known = side.of<BulkOperationRow>().find({item_.operation_id});
        if (known == nullptr || known->state != BulkState::running) {
            side.of<BulkItemRow>().erase(item_);
            return Answer::of<TimerFired>({.changed = true});
        }
        BulkOperationRow row = *known;
        auto answer = inner_->decide(rows, context);
        if (answer && answer->get_if<MoreRows>() != nullptr) return answer;
        count_answer(answer, row);
        end_if_finished(row, context.set.now_ms);
        side.of<BulkItemRow>().erase(item_);
        side.of<BulkOperationRow>().put(std::move(row));
        return Answer::of<TimerFired>({.changed = true});
    }

  private:
    BulkItemKey item_;
    Command inner_;
};

class DropBulkItemBody final : public CommandBody {
  public:
    explicit DropBulkItemBody(const BulkItemKey& item) : item_(item) {}

    CommandTraits traits() const override {
        return {.name = "drop_bulk_item", .urgency = Urgency::bulk, .by_timer = true, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<BulkItemRow>().keys.push_back(item_); }
    std::string subject() const override { return item_.execution_id.to_string(); }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& items = context.set.side.of<BulkItemRow>();
        const bool there = items.find(item_) != nullptr;
        if (there) items.erase(item_);
        return Answer::of<TimerFired>({.changed = there});
    }

  private:
    BulkItemKey item_;
};

Command command_for(const BulkOperationRow& operation, const ExecutionId& id) {
    switch (operation.action) {
        case BulkAction::cancel:
            break;
        case BulkAction::replay:
            return replay_execution(id);
        case BulkAction::purge:
            return purge_execution(id);
    }
    return cancel_for_operator(id, operation.reason);
}

}  // namespace

Command list_bulk_items(const BulkOperationId& operation, const SearchPlace& from, const std::optional<SearchPlace>& to,
                        const std::vector<ExecutionId>& found) {
    return Command::make<ListBulkItemsBody>(operation, from, to, found);
}

Command work_off_bulk_item(const BulkOperationRow& operation, const ExecutionId& execution) {
    return Command::make<BulkItemBody>(BulkItemKey{operation.key.operation_id, execution},
                                       command_for(operation, execution));
}

Command drop_bulk_item(const BulkItemKey& item) {
    return Command::make<DropBulkItemBody>(item);
}

}  // namespace flowfabric
