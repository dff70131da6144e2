// What figures measure: of each step, of a course of steps, of a racer.
#pragma once
#include "experiment/paper.h"

SnMomentValue sn_value_energy_left;  // kinetic + elastic + gravity over that at the start
SnMomentValue sn_value_energy;       // J
SnMomentValue sn_value_kinetic;      // J
SnMomentValue sn_value_spin_left;    // angular momentum about z over that at the start
SnMomentValue sn_value_viscous_part; // of the energy at the start: lost to damping
SnMomentValue sn_value_numerical;    // J
SnMomentValue sn_value_iterations;
SnMomentValue sn_value_ms;
SnMomentValue sn_value_unconverged; // 1 where the step did not converge
SnMomentValue sn_value_seam;        // mean residual of nodes that subdomains share over that of the others
SnMomentValue sn_value_gradient;    // N
SnMomentValue sn_value_contacts;
SnMomentValue sn_value_depth;    // m, of the deepest node below a surface that it touches
SnMomentValue sn_value_distance; // m, of the node furthest from the reference's end
SnMomentValue sn_value_travel;   // m, of the middle of all nodes, level
SnMomentValue sn_value_height;   // m, of the middle of all nodes
SnMomentValue sn_value_sink;     // m, how far the middle has come down
SnMomentValue sn_value_speed;    // m/s, of the centre of mass, level
SnMomentValue sn_value_width;    // m, along x
SnMomentValue sn_value_wrinkles; // how often the last body's nodes along its middle go up by 5 mm and down again
SnMomentValue sn_value_strain;   // the largest change of length of an edge of the surfaces, relative

SnNumber sn_number_last, sn_number_mean, sn_number_most, sn_number_sum, sn_number_least;
SnNumber sn_number_slowing; // how fast the mean decays over the first fifths over how fast over the last ones

SnRaceNumber sn_race_iterations;         // per step, to the tolerance
SnRaceNumber sn_race_ms;                 // per step
SnRaceNumber sn_race_iterations_to;      // iterations of the hardest step until the error is below level
SnRaceNumber sn_race_ms_to;              // ms of it
SnRaceNumber sn_race_iterations_to_norm; // iterations of the hardest step until the gradient over the characteristic
                                         // force is below level
SnRaceNumber sn_race_error_mean;         // error at the end, mean of the steps
SnRaceNumber sn_race_error_at;           // error of the hardest step after so many iterations
SnRaceNumber sn_race_distance_at;        // m
