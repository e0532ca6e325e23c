// Threads that have to answer in time however busy the CPUs are.
#pragma once

namespace tutti {

// The most that nice values go to: a thread that has slept then runs within milliseconds even where hundreds
// of others want its CPU. No real-time class: what is done on the control path (a merge, a report) may take a
// while, and would keep everything else from running.
inline constexpr int kControlNice = -20;

// Puts the calling thread before ordinary ones, and with it every thread that it makes from now on, those
// that these make, and so on: on Linux the nice value belongs to the thread and a new one inherits it
// (setpriority(2), sched(7)). Threads that are there already stay as they are. False where it is not
// permitted (CAP_SYS_NICE or RLIMIT_NICE): then nothing has changed.
bool RaiseControlPriority();

// Puts the calling thread back among the ordinary ones, for work that is large and that nobody loses a lease
// over: it must not have a CPU on the same terms as what keeps the leases. No effect on one that is there.
void LeaveControlPriority();

}  // namespace tutti
