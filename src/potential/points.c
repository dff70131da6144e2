#include "potential/points.h"

SnStatus sn_points_allocate(int count, int member_count, SnPoints* p)
{
    *p = (SnPoints){.count = count};
    bool room = SN_NEW(p->nodes, (int64_t)SN_POINT_NODES * count, "elements") &&
                SN_NEW(p->shapes, (int64_t)SN_POINT_SHAPE * count, "elements") &&
                SN_NEW(p->volumes, count, "elements") && SN_NEW(p->first, (int64_t)count + 1, "elements") &&
                SN_NEW(p->members, member_count, "elements") && SN_NEW(p->shares, member_count, "elements");
    if (!room) sn_points_free(p);
    return room ? SN_OK : SN_ERROR_MEMORY;
}

void sn_points_free(SnPoints* p)
{
    SN_FREE(p->nodes, p->shapes, p->volumes, p->first, p->members, p->shares);
    *p = (SnPoints){0};
}
