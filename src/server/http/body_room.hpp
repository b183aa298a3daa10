#pragma once

#include <cstddef>

namespace flowfabric::server {

// How many bytes the bodies of all requests under way may have together. The I/O thread's own.
class BodyRoom {
  public:
    explicit BodyRoom(std::size_t bytes) : left_(bytes) {}

    // What one request has of it, until the end of the request.
    class Share {
      public:
        explicit Share(BodyRoom& room) : room_(room) {}
        ~Share() { room_.left_ += bytes_; }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

        // False: there is no room for so many.
        bool grow_to(std::size_t bytes) {
            if (bytes <= bytes_) return true;
            if (bytes - bytes_ > room_.left_) return false;
            room_.left_ -= bytes - bytes_;
            bytes_ = bytes;
            return true;
        }

      private:
        BodyRoom& room_;
        std::size_t bytes_ = 0;
    };

  private:
    std::size_t left_;
};

}  // namespace flowfabric::server
