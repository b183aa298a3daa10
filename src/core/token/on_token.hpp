#pragma once

#include <string>

#include "core/command/command.hpp"
#include "core/command/contents.hpp"
#include "core/token/token.hpp"

// Commands that are about one token.
namespace flowfabric {

class OnToken : public CommandBody {
  public:
    explicit OnToken(std::string name) : token_{std::move(name)} {}

    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const final { rows.side.of<ApiTokenRow>().keys.push_back(token_); }
    std::string subject() const final { return "token " + token_.name; }

  protected:
    const TokenKey& token() const { return token_; }

  private:
    TokenKey token_;
};

}  // namespace flowfabric
