// Work that ends later than the call that begins it, one piece at a time.
#pragma once

#include <deque>
#include <functional>
#include <utility>

namespace tutti::http {

// In the order in which it comes. Belongs to one thread.
class OneByOne {
 public:
  using Task = std::function<void()>;

  // Begins it, at once or when those before have ended. It ends with a call of Next, perhaps within its own.
  void Add(Task task) {
    waiting_.push_back(std::move(task));
    if (!busy_) Next();
  }

  // The one that was begun has ended.
  void Next() {
    ended_ = true;
    if (beginning_) return;
    // A loop, since thousands may end within their own call.
    beginning_ = true;
    while (std::exchange(ended_, false)) {
      busy_ = !waiting_.empty();
      if (!busy_) break;
      const Task task = std::move(waiting_.front());
      waiting_.pop_front();
      task();
    }
    beginning_ = false;
  }

 private:
  std::deque<Task> waiting_;
  bool busy_ = false;       // one has begun and not ended
  bool ended_ = false;      // since the loop looked
  bool beginning_ = false;  // the loop is on the stack
};

}  // namespace tutti::http
