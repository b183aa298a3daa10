#pragma once

#include "core/command/command.hpp"
#include "core/execution/held_lease.hpp"

// Commands that are about one execution.
namespace flowfabric {

class OnExecution : public CommandBody {
  public:
    explicit OnExecution(const ExecutionId& execution_id) : execution_id_(execution_id) {}

    std::span<const ExecutionId> executions() const final { return {&execution_id_, 1}; }
    void name_rows(NamedRows&) const override {}
    Result<Answer> decide(BatchRows& rows, DecisionContext& context) const final;

  protected:
    const ExecutionId& execution_id() const { return execution_id_; }
    virtual Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const = 0;
    // The execution is not there: an error, or nothing to do for a timer.
    virtual Result<Answer> decide_missing() const;

  private:
    ExecutionId execution_id_;
};

// By the holder of its lease, or by an operator in the holder's place.
class OnLease : public OnExecution {
  public:
    explicit OnLease(const HeldLease& lease) : OnExecution(lease.execution_id), lease_(lease) {}

  protected:
    const HeldLease& lease() const { return lease_; }

  private:
    HeldLease lease_;
};

}  // namespace flowfabric
