// Pages of studies: points that open their runs, the order of convergence, how results are spread.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, open, picture, program, root, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

async function openTable(text) {
  const place = folder();
  writeFileSync(join(place, 'table.csv'), text);
  const done = spawnSync(program, ['report', join(place, 'table.csv')], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return open(browser, join(place, 'table.html'));
}

test('a bifurcation diagram: a press on a point gives the command of its run', async () => {
  // two branches over mu, as a strobe of period two leaves them
  const rows = Array.from({ length: 20 }, (_, i) => [0, 1].map((k) => `${i},x,${i / 10},0.001,certified,duration,5,5000,${k},2,1,${k === 0 ? i : -i}`)).flat();
  const { page, mistakes, close } = await openTable(`run,study,parameters.mu,time_step_s,status,end,end_s,steps,sample,rows,time_s,x\n${rows.join('\n')}\n`);
  assert.equal(await page.getByLabel('Across').inputValue(), 'parameters.mu');
  assert.equal(await page.getByLabel('Up').inputValue(), 'x');
  const at = await page.evaluate(() => window.carom.study.shown.find(({ point }) => point.row === 21).at);
  const box = await page.locator('canvas.study').boundingBox();
  await page.mouse.click(box.x + at[0], box.y + at[1]);
  assert.match(await page.locator('#diagram pre').textContent(), /carom run SCENE\.toml --set parameters\.mu=1 -o run_10\.h5\ncarom report run_10\.h5/);
  assert.match(await page.locator('#outcomes').textContent(), /certified, ran to its end40/);
  await picture(page, 'study');
  assert.deepEqual(mistakes, []);
  await close();
});

for (const p of [1, 2, 3]) {
  test(`the order of a method that errs by h^${p} is ${p}: the finest run errs too`, async () => {
    const rows = Array.from({ length: 6 }, (_, k) => `${k},x,${k},${0.1 / 2 ** k},certified,duration,1,10,${1 + 0.3 * (0.1 / 2 ** k) ** p}`);
    const { page, mistakes, close } = await openTable(`run,study,level,time_step_s,status,end,end_s,steps,x\n${rows.join('\n')}\n`);
    assert.match(await page.locator('#diagram .picked').textContent(), new RegExp(`order ${p}\\.$`));
    assert.deepEqual(mistakes, []);
    await close();
  });
}

/** A branch that loses its stability at w = 2 by a multiplier that passes through -1. */
function branch() {
  const points = Array.from({ length: 21 }, (_, i) => {
    const w = 1 + 0.1 * i;
    return { value: w, period_s: 6 / w, stable: w <= 2, multipliers: [[-w / 2, 0], [0.1, 0]], min: [-w], max: [w * w] };
  });
  const orbit = { converged: true, residual: 1e-13, period_s: 3, start_s: 0, start: { x: { q: 1, u: 0, min: -2, max: 4 } }, stable: true, multipliers: [[-1, 0], [0.1, 0]], dperiod_s: { w: -1.5 }, events: [{ time_s: 0.75, kind: 'impact', place: 'wall', percussion_Ns: 2 }] };
  return { title: 'Oscillator', over: 'w', end: 'the range was run through', coordinates: ['x'], points, special: [{ kind: 'flip', value: 2, orbit }] };
}

async function openJson(json) {
  const place = folder();
  writeFileSync(join(place, 'orbits.json'), JSON.stringify(json));
  const done = spawnSync(program, ['report', join(place, 'orbits.json')], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  return open(browser, join(place, 'orbits.html'));
}

test('a branch of orbits: diagram, multipliers, special points; a point gives the command of its orbit', async () => {
  const { page, mistakes, close } = await openJson(branch());
  assert.match(await page.locator('canvas.study').getAttribute('aria-label'), /largest x over w: 21 orbits, 11 stable ones, 1 special point/);
  const at = await page.evaluate(() => window.carom.orbits.shown[15].at);
  const box = await page.locator('canvas.study').boundingBox();
  await page.mouse.click(box.x + at[0], box.y + at[1]);
  assert.match(await page.locator('#diagram .picked').textContent(), /w = 2\.5: period 2\.4.s, unstable; multipliers −1\.25, 0\.1/);
  assert.match(await page.locator('#diagram pre').textContent(), /carom orbit SCENE\.toml --set parameters\.w=2\.5 --period 2\.4/);
  await page.keyboard.press('p');
  assert.match(await page.locator('#diagram .picked').textContent(), /w = 2\.4/);
  await page.locator('#special button').click();
  assert.match(await page.locator('#diagram .picked').textContent(), /w = 2: period 3.s, stable/);
  await page.getByLabel('Up').selectOption('multiplier');
  // the largest modulus is w / 2: a straight line, the last orbit highest
  const heights = await page.evaluate(() => window.carom.orbits.shown.map(({ at: [, y] }) => y));
  for (let i = 2; i < heights.length; ++i) assert.ok(Math.abs(heights[i] - 2 * heights[i - 1] + heights[i - 2]) < 1e-6);
  assert.ok(heights[20] < heights[0]);
  await picture(page, 'branch');
  assert.deepEqual(mistakes, []);
  await close();
});

test('a special point of a branch that leaves another one leads to an orbit of its own branch', async () => {
  const first = branch();
  const { orbit } = first.special[0];
  // from w = 2 on orbits of twice the period lie over the same values
  const points = first.points.filter(({ value }) => value >= 2).map((point) => ({ ...point, period_s: 2 * point.period_s, stable: true, max: [point.max[0] + 1] }));
  const special = [{ kind: 'flip', value: 2.5, orbit: { ...orbit, period_s: 4.8, start: { x: { q: 1, u: 0, min: -2, max: 7.25 } } } }];
  const { page, mistakes, close } = await openJson({ ...first, switched: [{ points, special }] });
  await page.locator('#special button').nth(1).click();
  assert.match(await page.locator('#diagram .picked').textContent(), /w = 2\.5: period 4\.8.s, stable/);
  assert.deepEqual(mistakes, []);
  await close();
});

test('an orbit: its state, multipliers and events; what is neither is refused with a hint', async () => {
  const { page, mistakes, close } = await openJson(branch().special[0].orbit);
  assert.match(await page.locator('#orbit').textContent(), /Period 3.s, stable/);
  assert.match(await page.locator('#orbit').textContent(), /impact.*wall/);
  assert.match(await page.locator('#orbit table').nth(2).textContent(), /0\.25/); // a quarter of the period
  assert.match(await page.locator('canvas.plane').getAttribute('aria-label'), /−1, 0\.1/);
  await picture(page, 'orbit');
  assert.deepEqual(mistakes, []);
  await close();
  const place = folder();
  for (const text of ['{"a": 1}', 'no json', '[]']) {
    writeFileSync(join(place, 'wrong.json'), text);
    const done = spawnSync(program, ['report', join(place, 'wrong.json')], { encoding: 'utf8' });
    assert.equal(done.status, 2);
    assert.match(done.stderr, /carom branch --json/);
  }
});

test('what carom orbit and carom branch print themselves', async () => {
  const scene = join(root, 'scenes', 'impact_oscillator.toml');
  for (const words of [['orbit', scene, '--period', '2*pi/w', '--settle', '50'], ['branch', scene, '--period', '2*pi/w', '--over', 'parameters.w=2.1:2.8']]) {
    const printed = spawnSync(program, [...words, '--json'], { encoding: 'utf8', maxBuffer: 1e8 });
    assert.equal(printed.status, 0, printed.stderr);
    const { page, mistakes, close } = await openJson(JSON.parse(printed.stdout));
    assert.ok(await page.evaluate(() => window.carom.orbits !== undefined));
    await picture(page, `carom-${words[0]}`);
    assert.deepEqual(mistakes, []);
    await close();
  }
});

test('every point of a study opens its run: by double click, by its button, by Enter and by address', async () => {
  const place = folder();
  const file = join(place, 'study.html');
  const scene = join(root, 'scenes', 'bouncing_balls.toml');
  const made = spawnSync(program, ['study', scene, '--vary', 'duration_s=0.2,0.3,0.4', '--perturb', "z1'=0.1", '--page', file, '--quiet'], { encoding: 'utf8' });
  assert.ok(made.status === 0 || made.status === 1, made.stderr);
  const { page, mistakes, requests, close } = await open(browser, file);
  const ends = () => page.evaluate(() => window.carom.player?.end);
  const click = async (row, times) => {
    const at = await page.evaluate((r) => window.carom.study.shown.find(({ point }) => point.row === r).at, row);
    const box = await page.locator('canvas.study').boundingBox();
    await page.mouse.click(box.x + at[0], box.y + at[1], { clickCount: times });
  };
  await click(1, 1);
  await page.getByRole('button', { name: /Open this run/ }).click();
  await page.locator('#playback').waitFor();
  assert.ok(Math.abs((await ends()) - 0.3) < 1e-9);
  // the run of the table: the same start, shifted, and the same end
  const [start, shift, end, told] = await page.evaluate(() => {
    const { columns } = window.carom.study.head;
    const value = (name) => columns.find((column) => column.name === name).numbers[1];
    const u = window.carom.run.track('u.0');
    const z = window.carom.run.track('q.0');
    return [u[0], value("shift.z1'"), z[z.length - 1], value('z1')];
  });
  assert.ok(shift !== 0 && Math.abs(start - shift) < 1e-6, `${start} ${shift}`);
  assert.ok(Math.abs(end - told) < 1e-6 * Math.max(1, Math.abs(told)), `${end} ${told}`);
  await picture(page, 'study-run');
  await page.getByRole('button', { name: 'Back to all results' }).click();
  await page.locator('canvas.study').waitFor();
  await click(2, 2);
  await page.locator('#playback').waitFor();
  assert.ok(Math.abs((await ends()) - 0.4) < 1e-9);
  await page.goBack();
  await page.locator('canvas.study').waitFor();
  await page.evaluate(() => window.carom.study.pick(0));
  await page.keyboard.press('Enter');
  await page.locator('#playback').waitFor();
  assert.ok(Math.abs((await ends()) - 0.2) < 1e-9);
  await page.goto(`file://${file}#run=1&t=0.1`);
  await page.reload();
  await page.locator('#playback').waitFor();
  assert.deepEqual(await page.evaluate(() => [window.carom.player.time, Number(window.carom.player.end.toFixed(9))]), [0.1, 0.3]);
  assert.ok(requests.every((url) => /^(file|data|blob):/.test(url)));
  assert.deepEqual(mistakes, []);
  await close();
});

test('every orbit of a branch opens one period of its motion, those of doubled orbits too', async () => {
  const file = join(folder(), 'branch.html');
  const made = spawnSync(program, ['branch', join(root, 'scenes', 'impact_oscillator.toml'), '--period', '2*pi/w', '--over', 'parameters.w=2.1:2.8', '--doublings', '1', '-o', file], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const { page, mistakes, close } = await open(browser, file);
  const periods = await page.evaluate(() => window.carom.orbits.branch.points.map(({ period_s, branch }) => [period_s, branch ?? 0]));
  const doubled = periods.findIndex(([, branch]) => branch === 1);
  assert.ok(doubled > 0);
  for (const point of [0, doubled]) {
    await page.evaluate((i) => window.carom.orbits.pick(i), point);
    await page.getByRole('button', { name: /Open this run/ }).click();
    await page.locator('#playback').waitFor();
    // it closes: the state at the end is the one at the start
    const { length, q } = await page.evaluate(() => {
      const { player, run } = window.carom;
      const x = run.track('q.0');
      return { length: player.end - player.start, q: [x[0], x[x.length - 1]] };
    });
    assert.ok(Math.abs(length - periods[point][0]) < 1e-9 * length);
    assert.ok(Math.abs(q[0] - q[1]) < 1e-6 * Math.max(1, Math.abs(q[0])));
    await page.getByRole('button', { name: 'Back to all results' }).click();
    await page.locator('canvas.study').waitFor();
  }
  // a special point shows its own orbit, not the one of the branch beside it
  for (const go of await page.locator('#special button').all()) {
    await go.click();
    assert.ok((await page.locator('#diagram .picked').textContent()).startsWith(`w = ${await go.textContent()}:`));
  }
  await picture(page, 'branch-doubled');
  assert.deepEqual(mistakes, []);
  await close();
});

test('the page of carom orbit has its multipliers and opens its motion', async () => {
  const file = join(folder(), 'orbit.html');
  const made = spawnSync(program, ['orbit', join(root, 'scenes', 'impact_oscillator.toml'), '--period', '2*pi/w', '-o', file], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const { page, mistakes, close } = await open(browser, file);
  assert.match(await page.locator('#orbit .picked').textContent(), /^Period 2\.85\d+.s, stable/); // 2 pi / 2.2
  await page.getByRole('button', { name: /Open this run/ }).click();
  await page.waitForFunction(() => window.carom.player);
  assert.ok(Math.abs((await page.evaluate(() => window.carom.player.end - window.carom.player.start)) - (2 * Math.PI) / 2.2) < 1e-6);
  await page.getByRole('button', { name: 'Back to all results' }).click();
  await page.waitForFunction(() => document.querySelector('#multipliers'));
  assert.deepEqual(mistakes, []);
  await close();
});
