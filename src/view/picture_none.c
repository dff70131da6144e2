// Pictures in a build without EGL and libepoxy: every call says what is missing.
#ifndef SN_HAVE_EGL
#include "core/status.h"
#include "view/picture.h"

SnStatus sn_picture_create(int width, int height, SnPicture** picture)
{
    (void)width, (void)height;
    *picture = NULL;
    return sn_fail(SN_ERROR_UNSUPPORTED,
                   "pictures: this sinew was built without EGL and libepoxy: install them (Debian, Ubuntu: apt install "
                   "libegl-dev libepoxy-dev libgl1-mesa-dri) and build again");
}

void sn_picture_destroy(SnPicture* picture)
{
    (void)picture;
}

SnStatus sn_picture_draw(SnPicture* picture, const SnPictureScene* scene)
{
    (void)picture, (void)scene;
    return sn_fail(SN_ERROR_UNSUPPORTED, "pictures: this sinew was built without EGL and libepoxy");
}

const uint8_t* sn_picture_rgba(const SnPicture* picture)
{
    (void)picture;
    return NULL;
}

const uint8_t* sn_picture_pixels(const SnPicture* picture)
{
    (void)picture;
    return NULL;
}
#else
typedef int SnPicturesExist; // see picture.c
#endif
