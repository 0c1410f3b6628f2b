/* A program of the phone: hands its words to the server and prints what it answers. Starts in under a millisecond. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void all(int fd, const void *from, size_t n) {
    const char *at = from;
    while (n) {
        ssize_t done = write(fd, at, n);
        if (done <= 0) exit(1);
        at += done;
        n -= done;
    }
}

static void whole(int fd, void *to, size_t n) {
    char *at = to;
    while (n) {
        ssize_t done = read(fd, at, n);
        if (done <= 0) exit(1);
        at += done;
        n -= done;
    }
}

int main(int argc, char **argv) {
    struct sockaddr_un where = {.sun_family = AF_UNIX};
    const char *path = getenv("OUTSIDE_PHONE");
    if (!path || strlen(path) >= sizeof where.sun_path) return 126;
    strcpy(where.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&where, sizeof where)) return 126;
    const char *name = strrchr(argv[0], '/');
    argv[0] = (char *)(name ? name + 1 : argv[0]);
    if (!strcmp(argv[0], "perfetto")) { /* its configuration */
        char heap[4096];
        while (read(0, heap, sizeof heap) > 0) {}
    }
    uint32_t count = argc;
    all(fd, &count, 4);
    for (int i = 0; i < argc; i++) {
        uint32_t length = strlen(argv[i]);
        all(fd, &length, 4);
        all(fd, argv[i], length);
    }
    uint32_t head[3]; /* status, bytes of output, bytes of complaint */
    whole(fd, head, sizeof head);
    for (int i = 1; i <= 2; i++) {
        char *text = malloc(head[i] + 1);
        whole(fd, text, head[i]);
        all(i, text, head[i]);
    }
    return head[0];
}
