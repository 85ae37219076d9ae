// What connects bodies is drawn: springs as coils between their points, motors as arrows on their joints.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inWindow, open, pageOfScene, picture, seek, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

// a disc hangs on a spring and swings up and down: z = z0 - a (1 - cos w t); an arm is turned by a motor, a block is pushed along a rail.
// The second spring changes its stiffness: it is an actuator.
const plane = `duration_s = 1
[[body]]
name = "disc"
shape = "disc"
radius_m = 0.05
position_m = [0, -0.4]
mass_kg = 1
[[body]]
name = "arm"
shape = "polygon"
vertices_m = [[-0.15, -0.02], [0.15, -0.02], [0.15, 0.02], [-0.15, 0.02]]
position_m = [0.65, 0]
mass_kg = 1
[[body]]
name = "block"
shape = "polygon"
vertices_m = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]]
position_m = [0.5, -0.5]
mass_kg = 1
[[spring]]
first = "disc"
first_point_m = [0, 0.05]
second_point_m = [0, 0]
stiffness_N_m = 100
rest_length_m = 0.35
[[spring]]
first = "block"
second_point_m = [0.2, -0.5]
stiffness_N_m = "10*(1 + t)"
rest_length_m = 0.3
[[joint]]
name = "pin"
kind = "revolute"
first = "arm"
point_m = [0.5, 0]
[joint.turn]
motor_rad_s = 1
[[joint]]
name = "rail"
kind = "prismatic"
first = "block"
axis = [1, 0, 0]
point_m = [0.5, -0.5]
[joint.slide]
motor_m_s = 0.1
motor_limit_N = 50
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
`;

// a ball on a spring and an arm on a motor, without weight
const space = `duration_s = 0.2
gravity_m_s2 = [0, 0, 0]
[[body]]
name = "ball"
shape = "sphere"
radius_m = 0.05
position_m = [0, 0, -0.4]
mass_kg = 1
[[body]]
name = "arm"
shape = "box"
size_m = [0.3, 0.04, 0.04]
position_m = [0.65, 0, 0]
mass_kg = 1
[[spring]]
first = "ball"
second_point_m = [0, 0, 0]
stiffness_N_m = 10
rest_length_m = 0.4
[[joint]]
name = "pin"
kind = "revolute"
first = "arm"
axis = [0, 1, 0]
point_m = [0.5, 0, 0]
[joint.turn]
motor_rad_s = 1
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
`;

const drawn = (page) =>
  page.evaluate(() => {
    const { picture } = window.carom.playback;
    return picture.drawnLinks(picture.at(window.carom.player.time, 0).bodies).map(({ kind, ends, lines, points }) => ({ kind, ends, lines: lines.length, points: points.length }));
  });

/** Pixels of the stage near a place that differ from the ground by colour. */
const coloured = async (page, point, reach = 14) => {
  const [x, y] = await inWindow(page, point);
  const png = await page.screenshot({ clip: { x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach } });
  return page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) if (Math.max(...pixels.slice(i, i + 3)) - Math.min(...pixels.slice(i, i + 3)) > 60) ++count;
    return count;
  }, png.toString('base64'));
};

test('springs and motors in the plane are where they act, and are seen', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(plane), { bypassCSP: true });
  const t = 0.3;
  await seek(page, t);
  const links = await drawn(page);
  assert.deepEqual(links.map(({ kind }) => kind), ['joint', 'motor', 'joint', 'motor', 'spring', 'spring']);
  // the disc hangs 0.05 m below the end of the spring, which is at rest 0.35 m long: it swings by a = m g / k about the rest that its weight gives
  const w = Math.sqrt(100 / 1);
  const fall = (9.81 / w ** 2) * (1 - Math.cos(w * t));
  const { ends } = links[4];
  assert.ok(Math.abs(ends[0][1] - (-0.35 - fall)) < 2e-3, `${ends[0][1]} m`);
  assert.deepEqual(ends[1], [0, 0, 0]);
  assert.ok(Math.abs(links[5].ends[0][0] - (0.5 + 0.1 * t)) < 2e-3, 'the driven spring holds the block that the motor moves');
  for (const spring of [links[4], links[5]]) assert.ok(spring.lines > 16 && spring.points === 2);
  // the zigzag crosses the line between its ends
  const middle = ends[0].map((x, i) => (x + ends[1][i]) / 2);
  assert.ok((await coloured(page, middle)) > 30);
  assert.ok((await coloured(page, [middle[0] + 0.15, middle[1], 0])) === 0, 'beside it there is nothing');
  assert.match(await page.locator('.key-of-forces').textContent(), /joints.*springs.*motors/);
  await picture(page, 'links-in-the-plane');
  assert.deepEqual(mistakes, []);
  await close();
});

test('in space a spring is a coil and a motor an arrow about its axis', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(space), { bypassCSP: true });
  await seek(page, 0.1);
  const links = await drawn(page);
  assert.deepEqual(links.map(({ kind }) => kind), ['joint', 'motor', 'spring']);
  assert.ok(links[2].lines > 60);
  assert.ok((await coloured(page, [0, 0, -0.2], 20)) > 20);
  assert.match(await page.locator('.key-of-forces').textContent(), /squares of the grid: [\d.]+.m/);
  await picture(page, 'links-in-space');
  assert.deepEqual(mistakes, []);
  await close();
});
