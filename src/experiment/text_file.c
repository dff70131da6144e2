// Text files and folders of experiments.
#include "experiment/text_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/status.h"

SnStatus sn_text_file_write(const char* path, void (*write)(const void* user, FILE* file), const void* user)
{
    if (!path) return SN_ERROR_MEMORY;
    FILE* file = fopen(path, "w");
    if (!file) return sn_fail(SN_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    write(user, file);
    bool bad = ferror(file) != 0;
    if (fclose(file) == 0 && !bad) return SN_OK;
    return sn_fail(SN_ERROR_FILE, "%s: could not be written; is the disk full?", path);
}

SnStatus sn_folder_make(const char* path)
{
    struct stat info;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return sn_fail(SN_ERROR_FILE, "%s: the folder cannot be made: %s", path, strerror(errno));
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return sn_fail(SN_ERROR_FILE, "%s: is not a folder", path);
    if (access(path, W_OK | X_OK) != 0)
        return sn_fail(SN_ERROR_FILE, "%s: nothing can be written there: %s", path, strerror(errno));
    return SN_OK;
}
