// The server, by sockets that are not a browser's: who is let in, what is refused, what a page gets, and that neither
// rubbish nor silence harms the simulation.
#include "live/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "check.h"

static const char scene_text[] = "name: cube\ntime: {step: 1/60}\n"
                                 "bodies: [{mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}}]\n";

typedef struct Served {
    char path[64];
    SnScene* scene;
    SnSession* session;
    SnShow* show;
    SnServer* server;
    pthread_t thread;
    int port;
    int silence;
    bool token; // it listens on 127.0.0.2
} Served;

static void* serve(void* server)
{
    sn_server_run(server);
    return NULL;
}

static void begin(Served* s)
{
    strcpy(s->path, "/tmp/sinew-live-XXXXXX");
    int file = mkstemp(s->path);
    check(file >= 0);
    close(file);
    unlink(s->path);
    check_ok(sn_scene_parse(scene_text, strlen(scene_text), "cube.yaml", NULL, 0, &s->scene));
    check_ok(sn_session_create(&(SnSessionDef){.scene = s->scene, .path = s->path}, &s->session));
    check_ok(sn_show_open(s->path, &s->show));
    SnServerDef def = {.address = s->token ? "127.0.0.2" : NULL,
                       .show_count = 1,
                       .shows = &s->show,
                       .session = s->session,
                       .silence = s->silence};
    check_ok(sn_server_create(&def, &s->server));
    s->port = atoi(strrchr(sn_server_address(s->server), ':') + 1);
    check(s->port > 0);
    check(pthread_create(&s->thread, NULL, serve, s->server) == 0);
}

// Where another one listens.
static void check_port_taken(const Served* s)
{
    SnServer* second;
    check_fails(sn_server_create(&(SnServerDef){.port = s->port, .show_count = 1, .shows = &s->show}, &second),
                SN_ERROR_FILE, "cannot listen", "--port");
}

static void stop_serving(Served* s)
{
    if (!s->server) return;
    sn_server_stop(s->server);
    pthread_join(s->thread, NULL);
    sn_server_destroy(s->server);
    s->server = NULL;
}

static void end(Served* s)
{
    stop_serving(s);
    sn_session_destroy(s->session);
    sn_show_close(s->show);
    sn_scene_destroy(s->scene);
    unlink(s->path);
}

// -1: nobody listens there.
static int try_to_connect(const char* host, int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = inet_addr(host)};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval limit = {.tv_sec = 10};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (connect(s, (struct sockaddr*)&address, sizeof address) == 0) return s;
    close(s);
    return -1;
}

static int connect_to(const Served* served)
{
    int s = try_to_connect(served->token ? "127.0.0.2" : "127.0.0.1", served->port);
    check(s >= 0);
    return s;
}

// What is answered to a request, up to so many bytes, or until the end of the header.
static void exchange(int socket, const char* request, char* reply, size_t size)
{
    size_t got = 0;
    check(send(socket, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request));
    reply[0] = 0;
    while (got < size - 1 && !strstr(reply, "\r\n\r\n")) {
        ssize_t n = recv(socket, reply + got, 1, 0);
        if (n <= 0) break;
        got += (size_t)n;
        reply[got] = 0;
    }
}

// The first line of the answer, by a socket of its own.
static int answer(const Served* s, const char* method, const char* path, const char* host)
{
    char request[512], reply[4096];
    int socket = connect_to(s), code = 0;
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: %s\r\n\r\n", method, path, host);
    exchange(socket, request, reply, sizeof reply);
    sscanf(reply, "HTTP/1.1 %d", &code);
    close(socket);
    return code;
}

static int get(const Served* s, const char* path, const char* host)
{
    return answer(s, "GET", path, host);
}

// A WebSocket of a page that says it is from `origin`; -1: it is not let in.
static int open_page(const Served* s, const char* origin, const char* path)
{
    char request[512], reply[4096];
    int socket = connect_to(s);
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Protocol: sinew\r\nOrigin: %s\r\n\r\n",
             path, s->port, origin);
    exchange(socket, request, reply, sizeof reply);
    if (strncmp(reply, "HTTP/1.1 101", 12) == 0) return socket;
    close(socket);
    return -1;
}

// The same of one that names no protocol, or another, and is from anywhere.
static bool is_let_in(const Served* s, const char* protocol)
{
    char request[512], reply[4096];
    int socket = connect_to(s);
    snprintf(request, sizeof request,
             "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s"
             "Origin: http://evil.example\r\n\r\n",
             s->port, protocol);
    exchange(socket, request, reply, sizeof reply);
    close(socket);
    return strncmp(reply, "HTTP/1.1 101", 12) == 0;
}

static void say(int socket, const char* text, size_t length)
{
    unsigned char frame[8 + 70000] = {0x81}; // a whole text; the mask is 0
    size_t head = 2;
    if (length < 126) {
        frame[1] = (unsigned char)(0x80 | length);
    } else {
        frame[1] = 0x80 | 126, frame[2] = (unsigned char)(length >> 8), frame[3] = (unsigned char)length;
        head = 4;
    }
    memcpy(frame + head + 4, text, length);
    send(socket, frame, head + 4 + length, MSG_NOSIGNAL);
}

static bool take(int socket, void* bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        ssize_t n = recv(socket, (char*)bytes + got, size - got, 0);
        if (n <= 0) return false;
        got += (size_t)n;
    }
    return true;
}

// The text of the next message whose type is the one wanted; NULL: the server has hung up.
static char* hear(int socket, const char* type)
{
    for (;;) {
        unsigned char head[10];
        uint64_t length;
        if (!take(socket, head, 2) || (head[0] & 0x0f) == 8) return NULL;
        length = head[1] & 0x7f;
        int more = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (more && !take(socket, head + 2, (size_t)more)) return NULL;
        if (more) length = 0;
        for (int i = 0; i < more; i++) length = length << 8 | head[2 + i];
        char* bytes = malloc(length + 1);
        check(bytes && length < 1 << 24);
        if (!take(socket, bytes, length)) {
            free(bytes);
            return NULL;
        }
        uint32_t text;
        memcpy(&text, bytes, 4);
        check(text + 4 <= length);
        memmove(bytes, bytes + 4, text);
        bytes[text] = 0;
        if (strstr(bytes, type)) return bytes;
        free(bytes);
    }
}

static void test_who_is_let_in(void** unused)
{
    (void)unused;
    Served s = {0};
    char own[64], origin[64];
    begin(&s);
    check_port_taken(&s);
    check(try_to_connect("127.0.0.2", s.port) < 0); // on no other address
    snprintf(own, sizeof own, "127.0.0.1:%d", s.port);
    snprintf(origin, sizeof origin, "http://127.0.0.1:%d", s.port);
    check(get(&s, "/", own) == 200);
    check(get(&s, "/three.module.min.js", own) == 200);
    check(answer(&s, "POST", "/", own) == 405);
    check(answer(&s, "DELETE", "/", own) == 405);
    check(get(&s, "/../../etc/passwd", own) == 404 || get(&s, "/../../etc/passwd", own) == 403);
    check(get(&s, "/%2e%2e/%2e%2e/etc/passwd", own) >= 400);
    check(get(&s, "/", "evil.example") == 403); // a name that leads here
    check(open_page(&s, "http://evil.example", "/") < 0);
    check(open_page(&s, "http://127.0.0.1:1", "/") < 0);
    check(!is_let_in(&s, "") && !is_let_in(&s, "Sec-WebSocket-Protocol: http\r\n"));
    int page = open_page(&s, origin, "/");
    check(page >= 0);
    char* hello = hear(page, "\"hello\"");
    check(hello && strstr(hello, "\"live\":true"));
    free(hello);
    close(page);
    end(&s);
}

static void test_token(void** unused)
{
    (void)unused;
    Served s = {.token = true};
    char path[64], origin[64];
    begin(&s);
    const char* token = strstr(sn_server_address(s.server), "?token=");
    check(token && strlen(token) == 7 + 32);
    snprintf(origin, sizeof origin, "http://127.0.0.2:%d", s.port);
    check(try_to_connect("127.0.0.1", s.port) < 0);
    check(get(&s, "/", "127.0.0.2") == 200); // of the page itself there is no secret
    check(open_page(&s, origin, "/") < 0);
    check(open_page(&s, origin, "/?token=") < 0);
    check(open_page(&s, origin, "/?token=00000000000000000000000000000000") < 0);
    for (int length = 38; length <= 40; length++) { // one letter less, all of it, one more
        snprintf(path, sizeof path, "/%.*s%s", length, token, length == 40 ? "0" : "");
        int page = open_page(&s, origin, path);
        check((page >= 0) == (length == 39));
        char* hello = page >= 0 ? hear(page, "\"hello\"") : NULL;
        check((hello != NULL) == (length == 39));
        free(hello);
        if (page >= 0) close(page);
    }
    end(&s);
}

// Gravity turned after two steps: 2 h 9.81 down, then h 3 up; and the run cannot be resumed from its scene alone.
static void check_changed(Served* s)
{
    SnRunFile* run;
    SnWorld* world;
    const SnEvent* events;
    int count;
    double v[3 * 27];
    check_ok(sn_run_file_open(s->path, &run));
    check_ok(sn_run_file_read_events(run, -1, &events, &count));
    check(count == 1 && events[0].step == 2 && events[0].count == 3 && events[0].numbers[1] == 3);
    assert_string_equal(events[0].kind, "gravity");
    check_ok(sn_run_file_read_frame(run, 3, NULL, v));
    check_near(v[1], (-2 * 9.81 + 3) / 60, 1e-9);
    sn_run_file_destroy(run);
    stop_serving(s);
    sn_session_destroy(s->session);
    s->session = NULL;
    check_ok(sn_scene_create_world(s->scene, &world));
    check_fails(sn_run_file_resume(s->path, NULL, world, &run), SN_ERROR_VALUE, "changed while it went on", "gravity",
                "sinew replay");
    sn_world_destroy(world);
}

static void test_goes_on(void** unused)
{
    (void)unused;
    Served s = {0};
    char origin[64], rubbish[65536];
    begin(&s);
    snprintf(origin, sizeof origin, "http://127.0.0.1:%d", s.port);
    int page = open_page(&s, origin, "/"), silent = open_page(&s, origin, "/");
    say(page, "step", 4);
    char* frames = hear(page, "\"frames\",\"show\":0,\"data\":2");
    check(frames != NULL);
    free(frames);
    say(page, "frame 0 1 0 1", 13);
    char* frame = hear(page, "\"type\":\"frame\"");
    check(frame && strstr(frame, "\"frame\":1"));
    free(frame);
    // Rubbish ends the page that sent it, and nothing else.
    static const char* const bad[] = {
        "",          "frame",     "frame 7 0 0 0", "frame 0 -1 0 0", "steps 0 x", "speed -1",     "speed",
        "play now",  "\x01\x02",  "grab 0 0 0",    "drag 0 nan 0",   "drop 1",    "obstacle 0 0", "pin 1",
        "stiffness", "friction x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int other = open_page(&s, origin, "/");
        check(other >= 0);
        say(other, bad[i], strlen(bad[i]));
        check(hear(other, "\"never\"") == NULL);
        close(other);
    }
    memset(rubbish, 'x', sizeof rubbish);
    int other = open_page(&s, origin, "/");
    say(other, rubbish, 60000);
    check(hear(other, "\"never\"") == NULL);
    close(other);
    say(page, "step", 4);
    frames = hear(page, "\"frames\",\"show\":0,\"data\":3");
    check(frames != NULL);
    free(frames);
    say(page, "gravity 0 3 0", 13);
    say(page, "step", 4);
    frames = hear(page, "\"frames\",\"show\":0,\"data\":4");
    check(frames != NULL);
    free(frames);
    SnSessionStatus status;
    sn_session_status(s.session, &status);
    check(status.frames == 4 && !status.failed);
    close(page);
    close(silent);
    check_changed(&s);
    end(&s);
}

// Pages that are there, but do not answer, do not keep others out for long.
static void test_silent_pages(void** unused)
{
    (void)unused;
    enum { MOST = 16 };
    Served s = {.silence = 2};
    char origin[64];
    int pages[MOST], next = -1;
    begin(&s);
    snprintf(origin, sizeof origin, "http://127.0.0.1:%d", s.port);
    for (int i = 0; i < MOST; i++) check((pages[i] = open_page(&s, origin, "/")) >= 0);
    check(open_page(&s, origin, "/") < 0);
    for (int k = 0; k < 40 && next < 0; k++) {
        usleep(250000);
        next = open_page(&s, origin, "/");
    }
    check(next >= 0);
    for (int i = 0; i < MOST; i++) close(pages[i]);
    close(next);
    end(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_who_is_let_in),
    cmocka_unit_test(test_token),
    cmocka_unit_test(test_goes_on),
    cmocka_unit_test(test_silent_pages),
};
RUN_TESTS(tests, NULL, NULL)
