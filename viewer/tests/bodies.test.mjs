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
  for (const title of ['Speeds of the bodies, m/s', 'Active contacts', 'Contact forces, N', 'Largest overlap, m']) assert.ok(captions.includes(title), title);
  await page.getByLabel('Body to plot').selectOption({ label: 'crate_1' });
  assert.equal(await page.locator('#plots .chart canvas').count(), await page.locator('#plots figure').count(), 'every panel is drawn');
  const chosen = await page.locator('#plots figure[id^=plot-body] figcaption').allTextContents();
  assert.deepEqual(chosen, ['Position of crate_1, m', 'Speed of crate_1, m/s', 'Angular velocity of crate_1, rad/s', 'Kinetic energy of crate_1, J', 'Contact force of crate_1, N']);
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

test('several bodies are plotted side by side, and an address keeps them', async () => {
  const file = pageOfScene(stack.replace('copies = [2]', 'copies = [3]').replace('"0.1 + 0.2*i"', '"0.2 + 0.3*i"').replace('duration_s = 0.1', 'duration_s = 0.3'));
  const { page, mistakes, close } = await open(browser, file);
  await page.getByLabel('Body to plot').selectOption({ label: 'crate_0' });
  await page.getByLabel('Add a body to the plots').selectOption({ label: 'crate_2' });
  await page.getByLabel('Add a body to the plots').selectOption({ label: 'crate_1' });
  const captions = () => page.locator('#plots figure[id^=plot-body] figcaption').allTextContents();
  assert.deepEqual(await captions(), ['Position x, m', 'Position y, m', 'Position z, m', 'Speed, m/s', 'Angular speed, rad/s', 'Kinetic energy, J', 'Contact force, N']);
  const lines = (id) => page.evaluate((name) => window.carom.plots.charts.find(({ panel }) => panel.id === name).panel.lines.map((line) => [line.name, ...line.values]), id);
  const heights = await lines('body-position-z');
  assert.deepEqual(heights.map(([name]) => name), ['crate_0', 'crate_2', 'crate_1']);
  // they start 0.3 m apart; while they fall their energy is m v^2 / 2
  heights.forEach(([, z], k) => assert.ok(Math.abs(z - [0.2, 0.8, 0.5][k]) < 1e-6));
  const [energy, speed] = [await lines('body-energy'), await lines('body-speed')];
  for (const k of [0, 1, 2]) assert.ok(Math.abs(energy[k][4] - 0.5 * speed[k][4] ** 2) < 1e-6 * energy[k][4] + 1e-12);
  assert.ok(energy[1][4] > 0);
  await page.getByRole('button', { name: 'Remove crate_2 from the plots' }).click();
  assert.deepEqual((await lines('body-speed')).map(([name]) => name), ['crate_0', 'crate_1']);
  await page.getByRole('button', { name: /into the address/ }).click();
  const again = await open(browser, `${file}${await page.evaluate(() => location.hash)}`);
  assert.deepEqual(await again.page.evaluate(() => window.carom.plots.shownBodies), await page.evaluate(() => window.carom.plots.shownBodies));
  assert.deepEqual([...mistakes, ...again.mistakes], []);
  await Promise.all([close(), again.close()]);
});

test('forces of many contacts have a histogram over time: it counts every contact once', async () => {
  const scene = `${stack.replace('copies = [2]', 'copies = [4, 4, 2]').replace('[0, 0, "0.1 + 0.2*i"]', '["0.3*i", "0.3*j", "0.1 + 0.2*k"]')}[record]\nevery_s = 0.005\n`;
  const { page, mistakes, close } = await open(browser, pageOfScene(scene));
  const { cells, counted, contacts } = await page.evaluate(() => {
    const { panel } = window.carom.plots.charts.find(({ panel: one }) => one.id === 'force-histogram');
    const { counts } = panel.cells;
    const sum = counts.reduce((all, column) => all + column.reduce((a, b) => a + b, 0), 0);
    return { cells: counts.length, counted: sum, contacts: window.carom.run.track('contacts.count').reduce((a, b) => a + b, 0) };
  });
  assert.ok(cells > 10);
  // those a million times below the largest are left out
  assert.ok(counted <= contacts && counted > 0.9 * contacts, `${counted} of ${contacts}`);
  const coloured = await page.locator('#plot-force-histogram canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let n = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) ++n;
    return n;
  });
  assert.ok(coloured > 500, `${coloured} pixels`);
  await picture(page, 'force-histogram', { fullPage: true });
  assert.deepEqual(mistakes, []);
  await close();
});

test('bodies are coloured by the residual of their contacts, worst brightest', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(stack));
  await page.evaluate(() => window.carom.player.seek(window.carom.player.end));
  await page.getByLabel('Colour by').selectOption('residual');
  assert.match(await page.locator('.key-of-forces').textContent(), /residual of the step/);
  const seen = await page.evaluate(() => {
    const { picture } = window.carom.playback;
    const colours = picture.bodyColours.at('residual', picture.at(window.carom.player.time, 0), window.carom.plots.colours);
    const worst = [1, 2].map((body) => Math.max(...picture.contacts.of(body, window.carom.player.time).map(({ residual }) => residual)));
    return { colours, worst, range: picture.bodyColours.residuals };
  });
  // the floor does not move and keeps its own
  assert.equal(seen.colours[0], null);
  assert.ok(seen.worst.every((x) => x >= 0 && x < 1e-6), JSON.stringify(seen));
  // the colour of each is that of its worst contact on the scale of the key
  const part = (rgb) => Number(/rgb\((\d+),(\d+)/.exec(rgb)[2]);
  if (seen.worst[0] > 2 * seen.worst[1]) assert.ok(part(seen.colours[1]) > part(seen.colours[2]));
  if (seen.worst[1] > 2 * seen.worst[0]) assert.ok(part(seen.colours[2]) > part(seen.colours[1]));
  assert.deepEqual(mistakes, []);
  await close();
});
