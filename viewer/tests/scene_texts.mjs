// Scenes that several tests look at.

const steps = `[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
`;

const ground = (material, friction) => `[[material]]
name = "${material}"
friction = ${friction}
[[body]]
name = "floor"
shape = "plane"
`;

const crate = (name, side, height, mass) => `[[body]]
name = "${name}"
shape = "box"
size_m = [${side}, ${side}, 0.2]
position_m = [0, 0, ${height}]
velocity_m_s = [1, 0, 0]
mass_kg = ${mass}
`;

const disc = (name, x, speed, mass) => `[[body]]
name = "${name}"
shape = "disc"
radius_m = 0.1
position_m = [${x}, 0.1]
velocity_m_s = [${speed}, 0]
mass_kg = ${mass}
`;

const slidingCrates = `duration_s = 0.4\n${ground('wood', 0.4)}${crate('lower', 0.4, 0.1, 3)}${crate('upper', 0.2, 0.3, 1)}`;

/** A crate slides and stops, another rests on it. */
export const crates = slidingCrates + steps;

/** The lower one alone: four contacts carry less than its weight each. */
export const oneCrate = `duration_s = 0.1\n${ground('wood', 0.4)}${crate('lower', 0.4, 0.1, 3)}${steps}`;

/** Both, and a ball hangs on a string: all tools of bodies have something to show. */
export const cratesAndBob = `${slidingCrates}[[body]]
name = "bob"
shape = "sphere"
radius_m = 0.05
position_m = [0.6, 0, 0.5]
mass_kg = 1
[[joint]]
name = "thread"
kind = "string"
first = "bob"
first_point_m = [0, 0, 0]
second_point_m = [0.6, 0, 1]
${steps}`;

/** In the plane: a disc slides, and meets no other. */
export const slidingDisc = `duration_s = 0.3\n${ground('rubber', 0.5)}${disc('disc', 0, 1, 2)}${steps}`;
export const twoDiscs = `duration_s = 0.3\n${ground('rubber', 0.5)}${disc('disc', 0, 1, 2)}${disc('other', 0.5, 0, 1)}${steps}`;
