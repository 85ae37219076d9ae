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
    playback.picture.forces.at(player.time, (point, force) => {
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

  const toggle = page.getByRole('button', { name: /contact forces/ });
  assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
  await toggle.click();
  assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
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
