// Bodies on the page: solids, and the forces of their contacts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, pageOfScene, picture, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const stack = `duration_s = 0.1
[[material]]
name = "wood"
friction = 0.5
[[body]]
name = "floor"
shape = "plane"
[[body]]
name = "crate"
shape = "box"
copies = [2]
size_m = [0.2, 0.2, 0.2]
position_m = [0, 0, "0.1 + 0.2*i"]
mass_kg = 1
[integrator]
time_step_s = 5e-3
`;

test('crates are where they are, and forces carry their weight', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(stack));
  const seen = await page.evaluate(() => {
    const { player, playback } = window.carom;
    player.seek(player.end);
    const pose = playback.picture.at(player.time, 0);
    let up = 0;
    let count = 0;
    playback.picture.contacts.visit(player.time, (point, force) => {
      // those on the floor: z = 0, the force is on the first of the two bodies
      if (Math.abs(point[2]) > 1e-6) return;
      up += Math.abs(force[2]);
      ++count;
    });
    return { bodies: [...pose.bodies.slice(7, 14)], up, count, size: playback.picture.size };
  });
  assert.equal(seen.count, 4);
  assert.ok(Math.abs(seen.up - 2 * 9.81) < 1e-3, `the floor carries ${seen.up} N`);
  const expected = [0, 0, 0.1, 0, 0, 0, 1];
  seen.bodies.forEach((x, i) => assert.ok(Math.abs(x - expected[i]) < 1e-5, `${x} is not ${expected[i]}`));
  await picture(page, 'bodies-crates');

  // four points on the floor, four between the crates; both partners of the upper ones get an arrow
  const arrows = () => page.evaluate(() => window.carom.playback.picture.forces.arrows(window.carom.playback.picture.at(window.carom.player.time, 0), window.carom.playback.picture.looks).length);
  assert.equal(await arrows(), 4 + 2 * 4);
  assert.match(await page.locator('.key-of-forces').textContent(), /force of \d+.N/);
  await page.getByLabel('Forces', { exact: true }).selectOption('none');
  assert.equal(await arrows(), 0);
  assert.deepEqual(mistakes, []);
  await close();
});

test('a thousand balls are one mesh, and are placed in less than a frame', async () => {
  const scene = `duration_s = 0.04\n[[body]]\nname = "ball"\nshape = "sphere"\nradius_m = 0.04\ncopies = [10, 10, 10]\nposition_m = ["0.1*i", "0.1*j", "0.1*k"]\n[integrator]\ntime_step_s = 4e-3\n`;
  const { page, mistakes, close } = await open(browser, pageOfScene(scene));
  const seen = await page.evaluate(() => {
    const { player, playback, run } = window.carom;
    const start = performance.now();
    for (let i = 0; i < 20; ++i) playback.stage.place(playback.picture.at((player.end * i) / 20, 0));
    return { ms: (performance.now() - start) / 20, surfaces: run.head.solids.surfaces.length, solids: run.head.solids.solids.length };
  });
  assert.equal(seen.surfaces, 1);
  assert.equal(seen.solids, 1000);
  assert.ok(seen.ms < 16, `placing takes ${seen.ms} ms`);
  await picture(page, 'bodies-thousand');
  assert.deepEqual(mistakes, []);
  await close();
});

test('plots of bodies are of bodies: speeds, contacts, forces; one body by choice', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(stack.replace('"0.1 + 0.2*i"', '"0.2 + 0.3*i"').replace('duration_s = 0.1', 'duration_s = 0.5')));
  const captions = await page.locator('#plots figcaption').allTextContents();
  assert.equal(new Set(captions).size, captions.length, 'no two panels have the same title');
  assert.ok(!captions.some((text) => /Coordinates|Velocities/.test(text)), captions.join('; '));
  for (const title of ['Speeds of the bodies, m/s', 'Contacts that press', 'Contact forces, N', 'Largest overlap, m']) assert.ok(captions.includes(title), title);
  await page.getByLabel('Body to plot').selectOption({ label: 'crate_1' });
  assert.equal(await page.locator('#plots .chart canvas').count(), await page.locator('#plots figure').count(), 'every panel is drawn');
  const chosen = await page.locator('#plots figure[id^=plot-body] figcaption').allTextContents();
  assert.deepEqual(chosen, ['Position of crate_1, m', 'Speed of crate_1, m/s', 'Angular velocity of crate_1, rad/s', 'Contact force of crate_1, N']);
  // it fell 0.1 m further than the lower one: at rest its centre is 0.3 m above the floor, and the floor below bears its weight
  const lastOf = (id) => page.evaluate((name) => window.carom.plots.charts.find(({ panel }) => panel.id === name).panel.lines.map(({ values }) => values.at(-1)), id);
  assert.ok(Math.abs((await lastOf('body-position'))[2] - 0.3) < 1e-3);
  assert.ok(Math.abs((await lastOf('body-force'))[0] - 9.81) < 0.05);
  // what is rounding is drawn as a line, not as noise at full scale
  const { min, max } = await page.evaluate(() => window.carom.plots.charts.find(({ panel }) => panel.id === 'body-spin').chart.scales.y);
  assert.ok(max - min >= 1e-10);
  await picture(page, 'bodies-plots', { fullPage: true });
  assert.deepEqual(mistakes, []);
  await close();
});
