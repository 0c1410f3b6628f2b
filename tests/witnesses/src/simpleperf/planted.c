/* Sixty messages, some of which take long in a method that is known; prints when, and in which. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static volatile unsigned long sink;

#define WORK(name)                                                  \
  __attribute__((noinline)) static void name(int ms) {              \
    long end = ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000L;         \
    while (ns(CLOCK_THREAD_CPUTIME_ID) < end)                       \
      for (int i = 0; i < 5000; i++) sink += i * sink;              \
    sink++;                                                         \
  }
WORK(decode_thumb)
WORK(parse_json)
WORK(small_work)

__attribute__((noinline)) static void bind_row(int ms) { decode_thumb(ms); sink++; }
__attribute__((noinline)) static void on_reply(int ms) { parse_json(ms); sink++; }
__attribute__((noinline)) static void poll_once(void) { usleep(20000); sink++; }

__attribute__((noinline)) static void dispatch(int nth) {
  long from = ns(CLOCK_MONOTONIC);
  const char *method = "small_work";
  if (nth % 7 == 3) {
    bind_row(160 + nth % 5 * 20);
    method = "decode_thumb, called by bind_row";
  } else if (nth % 11 == 5) {
    on_reply(130 + nth % 3 * 30);
    method = "parse_json, called by on_reply";
  } else {
    small_work(3);
  }
  printf("%ld %ld %s\n", from, ns(CLOCK_MONOTONIC), method);
}

int main(void) {
  for (int nth = 0; nth < 60; nth++) {
    dispatch(nth);
    poll_once();
  }
  return 0;
}
