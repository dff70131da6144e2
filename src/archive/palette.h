// The colours of bodies, in pictures and in files for other programs.
#pragma once

void sn_palette(int index, float colour[3]); // any index; red, green and blue from 0 to 1, as a screen shows them
