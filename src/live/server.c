// HTTP and WebSocket by libwebsockets, in the caller's thread.
//
// A page asks for what it wants, and gets one message after the other as fast as it takes them: what it asked for in
// the meantime is the newest of its kind, so a slow page neither waits in line nor makes one.
//
// Only pages of this server may ask: the headers Host and Origin have to be its own, so that neither another site in
// the same browser nor a name that leads here can. Beyond this machine the address needs a token.
#include "live/server.h"
#ifdef SN_HAVE_WEBSOCKETS

#include <libwebsockets.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/memory.h"
#include "integrator/integrator.h"
#include "live/request.h"
#include "live/web.h"
#include "solver/solver.h"

enum {
    MOST_CLIENTS = 16,
    MOST_REQUEST = 4096, // bytes
    CHUNK = 32768,       // of a file
    LOOK_AGAIN = 250000, // us: for frames that were written since
    SILENCE = 40,        // s
};
_Static_assert((int)MOST_CLIENTS <= (int)SN_MOST_PAGES, "each page has a number");

// What a page has asked for and not got yet.
typedef struct Client {
    struct Client* next;
    struct lws* wsi;
    int page; // its number, which no other one has
    bool describe, status;
    int told[SN_MOST_SHOWS];  // frames that it knows of
    int frame[SN_MOST_SHOWS]; // wanted; -1: none
    SnShowWish wish[SN_MOST_SHOWS];
    uint64_t* seen[SN_MOST_SHOWS];  // per body
    int64_t steps[SN_MOST_SHOWS];   // wanted are those after this one; INT64_MAX: none
    char request[MOST_REQUEST + 1]; // what has come of one
    size_t length;
    bool too_long;
} Client;

// A file on its way.
typedef struct Download {
    const SnWebFile* file;
    size_t sent;
} Download;

struct SnServer {
    SnServerDef def;
    int show_count;
    SnShow* shows[SN_MOST_SHOWS];
    SnShow* other; // a branch of the session that is shown beside it, or NULL
    int compared;  // its place in the tree; -1: none
    int branch;    // of the session, that is shown
    struct lws_context* context;
    lws_retry_bo_t idle; // how long pages may say nothing
    lws_sorted_usec_list_t timer;
    Client* clients;
    int client_count;
    SnMessage message;
    atomic_bool stop;
    char token[33];
    char host[64]; // as browsers name it, "127.0.0.1:4100"
    char address[160];
};

static SnServer* server_of(struct lws* wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

// --- Who may ask ---

static bool header_is(struct lws* wsi, enum lws_token_indexes header, const char* prefix, const SnServer* server)
{
    char text[128], wanted[128];
    if (lws_hdr_copy(wsi, text, sizeof text, header) <= 0) return false;
    const char* port = strrchr(server->host, ':');
    snprintf(wanted, sizeof wanted, "%s%s", prefix, server->host);
    if (strcmp(text, wanted) == 0) return true;
    snprintf(wanted, sizeof wanted, "%slocalhost%s", prefix, port);
    return strcmp(text, wanted) == 0;
}

static bool has_token(struct lws* wsi, const SnServer* server)
{
    char text[64];
    if (!server->token[0]) return true;
    const char* given = lws_get_urlarg_by_name(wsi, "token=", text, sizeof text); // behind its name, in `text`
    if (!given) return false;
    unsigned difference = strlen(given) != strlen(server->token);
    for (size_t i = 0; server->token[i] && strlen(given) == strlen(server->token); i++)
        difference |= (unsigned)(given[i] ^ server->token[i]); // all of them, so that time tells nothing
    return !difference;
}

// Beyond this machine, it may be reached by any name, and the token is what counts.
static bool may_ask(struct lws* wsi, const SnServer* server, bool page)
{
    if (server->token[0]) return page || has_token(wsi, server);
    if (!header_is(wsi, WSI_TOKEN_HOST, "", server)) return false;
    return page || header_is(wsi, WSI_TOKEN_ORIGIN, "http://", server);
}

// --- Files ---

static int begin_file(struct lws* wsi, Download* download, const char* path)
{
    unsigned char buffer[LWS_PRE + 1024], *start = buffer + LWS_PRE, *p = start, *end = buffer + sizeof buffer - 1;
    const SnWebFile* file = sn_web_find(path);
    if (!may_ask(wsi, server_of(wsi), true)) return lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return lws_return_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, NULL);
    if (!file) return lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL);
    *download = (Download){.file = file};
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, file->type, (lws_filepos_t)(file->end - file->begin), &p, end))
        return 1;
    if (lws_finalize_write_http_header(wsi, start, &p, end)) return 1;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_file(struct lws* wsi, Download* download)
{
    unsigned char buffer[LWS_PRE + CHUNK];
    const SnWebFile* file = download->file;
    if (!file) return -1;
    size_t left = (size_t)(file->end - file->begin) - download->sent, size = left < CHUNK ? left : CHUNK;
    memcpy(buffer + LWS_PRE, file->begin + download->sent, size);
    bool last = size == left;
    if (lws_write(wsi, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) return -1;
    download->sent += size;
    if (!last) lws_callback_on_writable(wsi);
    return last && lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int on_http(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP: return begin_file(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_file(wsi, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1; // a WebSocket that names no protocol, or not ours
    default: return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

// --- What pages get ---

static bool wants_something(const SnServer* server, const Client* client)
{
    bool wants = client->describe || client->status;
    for (int i = 0; i < server->show_count; i++)
        wants |= client->frame[i] >= 0 || client->steps[i] != INT64_MAX ||
                 client->told[i] != sn_show_frame_count(server->shows[i]);
    return wants;
}

static void describe(SnServer* server, Client* client, SnMessage* m)
{
    client->describe = false;
    sn_message_print(m, "{\"type\":\"hello\",\"version\":1,\"live\":%s,\"fields\":[",
                     server->def.session ? "true" : "false");
    for (int f = 0; f < SN_SHOW_FIELDS; f++) sn_message_print(m, "%s\"%s\"", f ? "," : "", sn_show_field_name(f));
    sn_message_print(m, "],\"solvers\":[");
    for (int i = 0; i < sn_table_count(&sn_solver_table); i++)
        sn_message_print(m, "%s\"%s\"", i ? "," : "", sn_table_name(&sn_solver_table, i));
    sn_message_print(m, "],\"integrators\":[");
    for (int i = 0; i < sn_integrator_count(); i++)
        sn_message_print(m, "%s\"%s\"", i ? "," : "", sn_integrator_at(i)->order > 0 ? sn_integrator_at(i)->name : "");
    sn_message_print(m, "],\"shows\":[");
    for (int i = 0; i < server->show_count; i++) {
        if (i) sn_message_print(m, ",");
        sn_show_describe(server->shows[i], m);
    }
    sn_message_print(m, "]}");
}

static void tell_numbers(const char* name, int count, const int* numbers, SnMessage* m)
{
    sn_message_print(m, ",\"%s\":[", name);
    for (int i = 0; i < count; i++) sn_message_print(m, "%s%d", i ? "," : "", numbers[i]);
    sn_message_print(m, "]");
}

static const char* file_of(const char* path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static void tell_branches(const SnServer* server, const SnSessionStatus* s, SnMessage* m)
{
    char path[SN_LONGEST_PATH];
    sn_message_print(m, ",\"at\":%d,\"compared\":%d,\"race\":%d,\"branches\":[", s->at, server->compared, s->race);
    for (int i = 0; i < s->branch_count; i++) {
        const SnBranch* b = &s->branches[i];
        sn_message_print(m, "%s{\"parent\":%d,\"frame\":%d,\"frames\":%d,\"name\":", i ? "," : "", b->parent, b->frame,
                         i == s->at ? s->frames : b->frames);
        sn_message_quote(m, b->name);
        sn_message_print(m, ",\"file\":");
        sn_message_quote(m, sn_session_branch_path(server->def.session, b->number, path) == SN_OK ? file_of(path) : "");
        sn_message_print(m, "}");
    }
    sn_message_print(m, "]");
}

// [young, poisson, density, [[damping, number, "rayleigh beta", value], ...]]
static void tell_body(const SnSessionBody* body, bool another, SnMessage* m)
{
    sn_message_print(m, "%s[", another ? "," : "");
    for (int k = 0; k < 3; k++) {
        sn_message_number(m, (double[]){body->young, body->poisson, body->density}[k]);
        sn_message_print(m, ",");
    }
    sn_message_print(m, "[");
    for (int k = 0; k < body->damping_count; k++) {
        const struct SnSessionDamping* d = &body->dampings[k];
        sn_message_print(m, "%s[%d,%d,\"%s %s\",", k ? "," : "", d->damping, d->number, d->type, d->name);
        sn_message_number(m, d->value);
        sn_message_print(m, "]");
    }
    sn_message_print(m, "]]");
}

static void tell_status(SnServer* server, Client* client, SnMessage* m)
{
    SnSessionStatus s;
    client->status = false;
    sn_session_status(server->def.session, &s);
    sn_message_print(m, "{\"type\":\"status\",\"playing\":%s,\"failed\":%s,\"frames\":%d,\"ms\":",
                     s.playing ? "true" : "false", s.failed ? "true" : "false", s.frames);
    sn_message_number(m, s.ms);
    sn_message_print(m, ",\"speed\":");
    sn_message_number(m, s.speed);
    sn_message_print(m, ",\"stiffness\":");
    sn_message_number(m, s.stiffness);
    sn_message_print(m, ",\"message\":");
    sn_message_quote(m, s.message);
    tell_numbers("shelf", s.shelf_count, s.shelf, m);
    tell_numbers("away", s.away_count, s.away, m);
    tell_numbers("held", s.held_count, s.held, m);
    tell_branches(server, &s, m);
    sn_message_print(m, ",\"bodies\":[");
    for (int i = 0; i < s.body_count; i++) tell_body(&s.bodies[i], i > 0, m);
    sn_message_print(m, "],\"gravity\":");
    sn_message_numbers(m, 3, s.gravity);
    sn_message_print(m, ",\"friction\":");
    sn_message_number(m, s.friction);
    sn_message_print(m, ",\"solver\":\"%s\",\"integrator\":\"%s\",\"branch\":%d,\"file\":", s.solver, s.integrator,
                     s.branch);
    sn_message_quote(m, file_of(s.path));
    sn_message_print(m, "}");
}

// One thing of a show that the client wants; false: nothing.
static bool tell_of_show(SnServer* server, Client* client, int i, SnMessage* m)
{
    SnShow* show = server->shows[i];
    int count = sn_show_frame_count(show);
    SnStatus status = SN_OK;
    if (!client->seen[i]) return false; // there was no memory for it, and the page goes
    if (client->frame[i] >= 0) {
        int frame = client->frame[i] < count ? client->frame[i] : count - 1;
        client->frame[i] = -1;
        sn_message_print(m, "{\"type\":\"frame\",\"show\":%d,\"data\":", i);
        status = sn_show_frame(show, frame, &client->wish[i], client->seen[i], m);
    } else if (client->told[i] != count) {
        client->told[i] = count;
        sn_message_print(m, "{\"type\":\"frames\",\"show\":%d,\"data\":%d,\"interval\":", i, count);
        sn_message_number(m, sn_show_interval(show));
    } else if (client->steps[i] != INT64_MAX) {
        sn_message_print(m, "{\"type\":\"steps\",\"show\":%d,\"data\":", i);
        status = sn_show_steps(show, client->steps[i], m);
        client->steps[i] = INT64_MAX;
    } else {
        return false;
    }
    sn_message_print(m, "}");
    if (status == SN_OK) return true;
    sn_message_clear(m);
    sn_message_print(m, "{\"type\":\"error\",\"message\":");
    sn_message_quote(m, sn_last_error());
    sn_message_print(m, "}");
    return true;
}

static int send_next(struct lws* wsi, SnServer* server, Client* client)
{
    SnMessage* m = &server->message;
    char* bytes;
    size_t size;
    sn_message_clear(m);
    if (client->describe)
        describe(server, client, m);
    else if (client->status && server->def.session)
        tell_status(server, client, m);
    else
        for (int i = 0; i < server->show_count; i++)
            if (tell_of_show(server, client, i, m)) break;
    if (m->text_count == 0) return 0;
    if (sn_message_pack(m, LWS_PRE, &bytes, &size) != SN_OK) return -1;
    int written = lws_write(wsi, (unsigned char*)bytes + LWS_PRE, size, LWS_WRITE_BINARY);
    sn_free(bytes);
    if (written < (int)size) return -1;
    if (wants_something(server, client)) lws_callback_on_writable(wsi);
    return 0;
}

// A show is another one, of which the page knows nothing yet.
static bool begin_again(SnServer* server, Client* client, int i)
{
    client->describe = true, client->told[i] = 0, client->frame[i] = -1, client->steps[i] = INT64_MAX;
    sn_free(client->seen[i]);
    return SN_NEW(client->seen[i], sn_show_body_count(server->shows[i]), "a view");
}

// --- What pages ask ---

// A branch of the session is shown beside what it makes now, to all pages; -1: none is.
static void compare(SnServer* server, int branch)
{
    SnSessionStatus status;
    char path[SN_LONGEST_PATH];
    SnShow* other = NULL;
    if (!server->def.session || server->def.show_count != 1) return;
    sn_session_status(server->def.session, &status);
    bool there = branch >= 0 && branch < status.branch_count &&
                 sn_session_branch_path(server->def.session, status.branches[branch].number, path) == SN_OK;
    if (there && sn_show_open(path, &other) != SN_OK) other = NULL;
    sn_show_close(server->other);
    server->other = server->shows[1] = other;
    server->show_count = other ? 2 : 1, server->compared = other ? branch : -1;
    for (Client* c = server->clients; c; c = c->next) {
        if (!begin_again(server, c, 0) || (other && !begin_again(server, c, 1)))
            lws_set_timeout(c->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
        lws_callback_on_writable(c->wsi);
    }
}

static bool ask_show(SnServer* server, Client* client, const char* text)
{
    SnRequest request;
    int most = server->def.session ? SN_MOST_SHOWS : server->show_count; // one may have gone since
    if (!sn_request_read(text, most, &request)) return false;
    if (request.kind == SN_REQUEST_COMPARE)
        compare(server, request.branch);
    else if (request.show >= server->show_count)
        return true;
    else if (request.kind == SN_REQUEST_FRAME)
        client->frame[request.show] = request.frame, client->wish[request.show] = request.wish;
    else
        client->steps[request.show] = request.after;
    return true;
}

// Whether the page may go on.
static bool hear(struct lws* wsi, SnServer* server, Client* client, const char* in, size_t length)
{
    if (client->length + length > MOST_REQUEST) return false;
    memcpy(client->request + client->length, in, length);
    client->length += length;
    if (!lws_is_final_fragment(wsi)) return true;
    client->request[client->length] = 0;
    client->length = 0;
    if (!ask_show(server, client, client->request) &&
        !(server->def.session && sn_session_ask(server->def.session, client->page, client->request)))
        return false;
    if (wants_something(server, client)) lws_callback_on_writable(wsi);
    return true;
}

static int free_number(const SnServer* server)
{
    bool used[SN_MOST_PAGES] = {0};
    int page = 0;
    for (const Client* c = server->clients; c; c = c->next) used[c->page] = true;
    while (used[page]) page++;
    return page;
}

static bool greet(struct lws* wsi, SnServer* server, Client* client)
{
    *client = (Client){.next = server->clients,
                       .wsi = wsi,
                       .page = free_number(server),
                       .describe = true,
                       .status = server->def.session != NULL};
    server->clients = client;
    server->client_count++;
    for (int i = 0; i < server->show_count; i++) {
        client->frame[i] = -1;
        client->steps[i] = INT64_MAX;
        if (!SN_NEW(client->seen[i], sn_show_body_count(server->shows[i]), "a view")) return false;
    }
    lws_callback_on_writable(wsi);
    return true;
}

static void part(SnServer* server, Client* client)
{
    for (Client** at = &server->clients; *at; at = &(*at)->next)
        if (*at == client) {
            *at = client->next;
            server->client_count--;
            break;
        }
    if (server->def.session) sn_session_ask(server->def.session, client->page, "drop"); // nobody holds it any more
    for (int i = 0; i < SN_MOST_SHOWS; i++) sn_free(client->seen[i]);
    memset(client->seen, 0, sizeof client->seen);
}

// The session may have gone on from an earlier frame, in another file.
static void follow_branch(SnServer* server)
{
    SnSessionStatus status;
    if (!server->def.session) return;
    sn_session_status(server->def.session, &status);
    if (status.branch == server->branch || sn_show_reopen(server->shows[0], status.path) != SN_OK) return;
    server->branch = status.branch;
    for (Client* c = server->clients; c; c = c->next)
        if (!begin_again(server, c, 0)) lws_set_timeout(c->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
}

// Bodies have come: all pages are told what there is now.
static void take_up(SnServer* server, int i)
{
    char path[SN_LONGEST_PATH];
    snprintf(path, sizeof path, "%s", sn_show_path(server->shows[i]));
    if (sn_show_reopen(server->shows[i], path) != SN_OK) return;
    for (Client* c = server->clients; c; c = c->next)
        if (!begin_again(server, c, i)) lws_set_timeout(c->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_ASYNC);
}

static void look(SnServer* server)
{
    follow_branch(server);
    for (int i = 0; i < server->show_count; i++) {
        sn_show_refresh(server->shows[i]);
        if (sn_show_has_grown(server->shows[i])) take_up(server, i);
    }
    for (Client* c = server->clients; c; c = c->next) {
        c->status |= server->def.session != NULL;
        if (wants_something(server, c)) lws_callback_on_writable(c->wsi);
    }
}

static int on_socket(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
    SnServer* server = server_of(wsi);
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return !may_ask(wsi, server, false) || server->client_count >= MOST_CLIENTS;
    case LWS_CALLBACK_ESTABLISHED: return greet(wsi, server, user) ? 0 : -1;
    case LWS_CALLBACK_CLOSED: part(server, user); return 0;
    case LWS_CALLBACK_RECEIVE: return hear(wsi, server, user, in, length) ? 0 : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(wsi, server, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: look(server); return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(Download)},
    {.name = "sinew", .callback = on_socket, .per_session_data_size = sizeof(Client), .rx_buffer_size = MOST_REQUEST},
    {0},
};

static void on_timer(lws_sorted_usec_list_t* timer)
{
    SnServer* server = lws_container_of(timer, SnServer, timer);
    look(server);
    lws_sul_schedule(server->context, 0, timer, on_timer, LOOK_AGAIN);
}

static void on_change(void* user)
{
    SnServer* server = user;
    lws_cancel_service(server->context);
}

static SnStatus make_token(SnServer* server)
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return sn_fail(SN_ERROR_FILE, "no random numbers to be had for the token of the page");
    for (int i = 0; i < 16; i++) snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
    return SN_OK;
}

static SnStatus start(SnServer* server)
{
    const char* address = server->def.address ? server->def.address : "127.0.0.1";
    uint16_t silence = (uint16_t)(server->def.silence > 0 ? server->def.silence : SILENCE);
    server->idle = (lws_retry_bo_t){.secs_since_valid_ping = (silence + 1) / 2, .secs_since_valid_hangup = silence};
    struct lws_context_creation_info info = {
        .port = server->def.port,
        .iface = address,
        .protocols = protocols,
        .user = server,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options =
            LWS_SERVER_OPTION_HTTP_HEADERS_SECURITY_BEST_PRACTICES_ENFORCE | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .retry_and_idle_policy = &server->idle,
        .timeout_secs = 10,
        .keepalive_timeout = 10,
    };
    // With IPv6 the library takes 127.0.0.1 for any address there is.
    if (!strchr(address, ':')) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    lws_set_log_level(0, NULL);
    if (strcmp(address, "127.0.0.1") != 0) SN_TRY(make_token(server));
    server->context = lws_create_context(&info);
    struct lws_vhost* vhost = server->context ? lws_get_vhost_by_name(server->context, "default") : NULL;
    if (!vhost)
        return sn_fail(SN_ERROR_FILE,
                       "cannot listen on %s port %d: is another program doing so? --port has another one", address,
                       server->def.port);
    bool six = strchr(address, ':');
    snprintf(server->host, sizeof server->host, "%s%s%s:%d", six ? "[" : "", address, six ? "]" : "",
             lws_get_vhost_listen_port(vhost));
    snprintf(server->address, sizeof server->address, "http://%s/%s%s", server->host, server->token[0] ? "?token=" : "",
             server->token);
    lws_sul_schedule(server->context, 0, &server->timer, on_timer, LOOK_AGAIN);
    if (server->def.session) sn_session_watch(server->def.session, on_change, server);
    return SN_OK;
}

SnStatus sn_server_create(const SnServerDef* def, SnServer** out)
{
    SnServer* server;
    *out = NULL;
    if (!SN_NEW(server, 1, "a server")) return SN_ERROR_MEMORY;
    server->def = *def;
    server->show_count = def->show_count, server->compared = -1;
    for (int i = 0; i < def->show_count; i++) server->shows[i] = def->shows[i];
    SN_FINISH(start(server), server, sn_server_destroy, out);
}

void sn_server_destroy(SnServer* server)
{
    if (!server) return;
    if (server->def.session) sn_session_watch(server->def.session, NULL, NULL);
    if (server->context) lws_context_destroy(server->context);
    sn_message_free(&server->message);
    sn_show_close(server->other);
    sn_free(server);
}

const char* sn_server_address(const SnServer* server)
{
    return server->address;
}

void sn_server_run(SnServer* server)
{
    while (!server->stop && lws_service(server->context, 0) >= 0) continue;
}

void sn_server_stop(SnServer* server)
{
    server->stop = true;
    lws_cancel_service(server->context);
}
#endif
