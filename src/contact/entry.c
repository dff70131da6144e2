// Where a node's path since the step began comes to a body: near edges and behind surfaces the nearest point alone
// would let it out on another side than it came from.
#include <math.h>

#include "contact/query.h"
#include "linalg/vec3.h"

enum { MOST_ADVANCES = 20 };
#define ALIKE 0.9 // cosine

static double height(const SnContactPlane* plane, const double p[3])
{
    double displacement[3];
    sn_subtract3(p, plane->nearest.point, displacement);
    return sn_dot3(displacement, plane->normal);
}

// Goes on from `from` by as much as is free, again and again, until the surface is nearer than `least`; or to the end.
static bool advance(const SnContactQuery* q, const double from[3], const double displacement[3], double least,
                    SnContactPlane* plane)
{
    double length = sn_length3(displacement), gone = 0, at[3];
    for (int k = 0; k < MOST_ADVANCES; k++) {
        for (int c = 0; c < 3; c++) at[c] = from[c] + (length > 0 ? gone / length * displacement[c] : 0);
        if (!sn_contact_nearest(q, at, length - gone + 2 * least + 1e-9 * q->target->edge, plane)) return false;
        double free = plane->nearest.distance - least;
        if (free <= 1e-2 * least) return true;
        if (gone + free >= length) return false;
        gone += free;
    }
    return true;
}

// The node may have gone on along the surface from where it came in: the plane where it is now, seen from above.
static void go_along(const SnContactQuery* q, const double from[3], double least, SnContactPlane* plane)
{
    SnContactPlane there;
    double above[3], lift = fmax(0, least - height(plane, q->p));
    for (int c = 0; c < 3; c++) above[c] = q->p[c] + lift * plane->normal[c];
    if (!sn_contact_nearest(q, above, 2 * least + lift + 1e-9 * q->target->edge, &there)) return;
    bool same_side = height(&there, from) >= 0.5 * least && height(&there, above) > 0;
    if (same_side && sn_dot3(there.normal, plane->normal) > ALIKE) *plane = there;
}

bool sn_contact_entry(const SnContactQuery* q, const double from[3], SnContactPlane* plane)
{
    double thickness = q->contacts->options.thickness, weights[4], displacement[3];
    SnContactPlane entry;
    sn_subtract3(q->p, from, displacement);
    if (!sn_contact_nearest(q, from, INFINITY, &entry)) return false;
    double distance = entry.nearest.distance, least = fmin(thickness, distance);
    if (distance > 0 && height(plane, from) >= ALIKE * distance) return false; // it came from right above
    if (q->target->tetrahedra && sn_contact_inside(q, from, weights) >= 0) return false;
    if (!advance(q, from, displacement, least, &entry)) return false;
    go_along(q, from, least, &entry);
    *plane = entry;
    return true;
}
