#pragma once

#include <string>

#include "server/http/message.hpp"

// The one place where errors get the form in which clients read them.
namespace flowfabric::server {

// How a client is told of errors: as RFC 9457 has it if its `Accept` asks for that, and under which id.
struct ProblemForm {
    bool rfc9457 = false;
    std::string request_id = {};
};

ProblemForm problem_form_of(const Request& head);

// Gives a response that is a problem its body, and logs what clients are not told. Others stay as they are.
void write_problem(Response& response, const ProblemForm& form);

}  // namespace flowfabric::server
