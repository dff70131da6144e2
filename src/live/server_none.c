// Without libwebsockets there is no page.
#include "live/server.h"
#ifndef SN_HAVE_WEBSOCKETS

SnStatus sn_server_create(const SnServerDef* def, SnServer** server)
{
    (void)def;
    *server = NULL;
    return sn_fail(SN_ERROR_UNSUPPORTED, "this sinew was built without libwebsockets and has no page: install "
                                         "libwebsockets-dev and build it again");
}

void sn_server_destroy(SnServer* server)
{
    (void)server;
}

const char* sn_server_address(const SnServer* server)
{
    (void)server;
    return "";
}

void sn_server_run(SnServer* server)
{
    (void)server;
}

void sn_server_stop(SnServer* server)
{
    (void)server;
}
#endif
