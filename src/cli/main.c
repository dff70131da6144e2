// The program.
#include "cli/program.h"

int main(int argc, char** argv)
{
    return sn_program_run(argc, argv);
}
