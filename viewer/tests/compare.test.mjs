// Two runs on one page, and a run beside measured data.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, open, picture, program, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const scene = (v, e) => `title = "thrown"\nduration_s = 1\n[[coordinate]]\nname = "z"\nstart = 1\nstart_velocity = ${v}\n[lagrangian]\nkinetic = "z'^2/2"\npotential = "10*z"\n[[contact]]\nname = "floor"\ngap = "z"\nlaw = { kind = "unilateral", restitution = ${e} }\n[[draw]]\nkind = "point"\nat = [0, "z"]\n[record]\nevery_s = 0.01\n`;

function carom(...words) {
  const done = spawnSync(program, words, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
}

function recording(place, name, v, e) {
  writeFileSync(join(place, `${name}.toml`), scene(v, e));
  carom('run', join(place, `${name}.toml`), '-o', join(place, `${name}.h5`), '--no-svg', '--quiet');
  return join(place, `${name}.h5`);
}

const lineOf = (page, id, k) => page.evaluate(([name, i]) => [...window.carom.plots.charts.find(({ panel }) => panel.id === name).panel.lines[i].values], [id, k]);

test('two throws differ by v t until the first of them lands, and the page says where they part', async () => {
  const place = folder();
  const file = join(place, 'both.html');
  carom('report', recording(place, 'a', 0, 0.5), recording(place, 'b', -0.3, 0.5), '-o', file);
  const { page, mistakes, close } = await open(browser, file);
  assert.match(await page.locator('#compare h2').textContent(), /b\.h5/);
  await page.getByLabel('Quantity to compare').selectOption('z');
  const difference = await lineOf(page, 'compare-difference', 0);
  const time = await page.evaluate(() => [...window.carom.run.track('time_s')]);
  time.forEach((t, i) => t < 0.4 && assert.ok(Math.abs(difference[i] + 0.3 * t) < 1e-5, `at ${t} s they differ by ${difference[i]}`));
  // the second lands first: -0.3 t - 5 t^2 + 1 = 0
  const [words] = await page.locator('#compare li').allTextContents();
  assert.match(words, /differ from event 1: a\.h5 has impact of floor at 0\.44\d+.s, b\.h5 has impact of floor at 0\.41\d+.s/);
  // both are on the stage
  assert.equal(await page.evaluate(() => window.carom.playback.picture.others.length), 1);
  await page.evaluate(() => window.carom.player.seek(0.3));
  await picture(page, 'compare');
  assert.deepEqual(mistakes, []);
  await close();
});

test('drawings in space of both runs are on the stage, and it has room for the longer throw', async () => {
  const place = folder();
  const space = (name, speed) => {
    const text = `duration_s = 0.5\n[[coordinate]]\nname = "x"\nstart = 0\nstart_velocity = ${speed}\n[lagrangian]\nkinetic = "x'^2/2"\n[[draw]]\nkind = "circle"\nat = ["x", 0, 0]\nradius_m = 0.02\ncolour = "blue"\nlabel = "stone"\n[[draw]]\nkind = "segment"\npoints = [[0, 0, 0], ["x", 0, 0]]\n`;
    writeFileSync(join(place, `${name}.toml`), text);
    carom('run', join(place, `${name}.toml`), '-o', join(place, `${name}.h5`), '--no-svg', '--quiet');
    return join(place, `${name}.h5`);
  };
  const file = join(place, 'space.html');
  carom('report', space('slow', 1), space('fast', 2), '-o', file);
  const { page, mistakes, close } = await open(browser, file);
  await page.evaluate(() => window.carom.player.seek(0.4));
  // the faint ball is where the faster run is; the box of the picture ends where it ends
  const seen = await page.evaluate(() => {
    const { stage, picture: shown } = window.carom.playback;
    const [own, other] = [stage.drawn, stage.drawnOthers[0]].map(({ balls }) => ({ x: balls.instanceMatrix.array[12], opacity: balls.material.opacity }));
    const { labels } = stage.labels;
    return { own, other, high: shown.moving.high[0], label: labels.map(({ entry, sprite }) => [entry.label, sprite.position.x, sprite.scale.x > 0]) };
  });
  assert.ok(Math.abs(seen.own.x - 0.4) < 1e-6 && Math.abs(seen.other.x - 0.8) < 1e-6, JSON.stringify(seen));
  assert.ok(seen.other.opacity < seen.own.opacity);
  assert.ok(Math.abs(seen.high - 1.02) < 1e-6);
  assert.equal(seen.label[0][0], 'stone');
  assert.ok(Math.abs(seen.label[0][1] - 0.4) < 1e-6);
  await picture(page, 'compare-space');
  assert.deepEqual(mistakes, []);
  await close();
});

test('the same run twice does not part', async () => {
  const place = folder();
  const run = recording(place, 'a', 0, 0.5);
  carom('report', run, run, '-o', join(place, 'same.html'));
  const { page, close } = await open(browser, join(place, 'same.html'));
  assert.match(await page.locator('#compare li').textContent(), /the same \d+ events/);
  assert.match(await page.locator('#compare .picked').textContent(), /at most 0/);
  await close();
});

test('measured data are compared by the names of their columns', async () => {
  const place = folder();
  const data = join(place, 'camera.csv');
  // half a millimetre too high, every 0.05 s
  writeFileSync(data, `time_s,z\n${Array.from({ length: 9 }, (_, i) => `${0.05 * i},${1 - 5 * (0.05 * i) ** 2 + 5e-4}`).join('\n')}\n`);
  carom('report', recording(place, 'a', 0, 0.5), data, '-o', join(place, 'data.html'));
  const { page, mistakes, close } = await open(browser, join(place, 'data.html'));
  const difference = await lineOf(page, 'compare-difference', 0);
  assert.ok(Math.abs(difference[10] - 5e-4) < 1e-5);
  assert.ok(difference.slice(45).every((x) => x === null || Number.isNaN(x)), 'there are no data later');
  assert.deepEqual(mistakes, []);
  await close();
});

test('columns that carom itself exported are all found again, and do not differ', async () => {
  const place = folder();
  const run = recording(place, 'a', 0, 0.5);
  carom('export', run, '--to', 'csv', '-o', join(place, 'a.csv'));
  carom('report', run, join(place, 'a.csv'), '-o', join(place, 'own.html'));
  const { page, close } = await open(browser, join(place, 'own.html'));
  const choice = page.getByLabel('Quantity to compare');
  const names = await choice.evaluate((select) => [...select.options].map(({ value }) => value));
  for (const name of ['z', "z'", 'gap of floor', 'kinetic energy', 'impact energy']) {
    assert.ok(names.includes(name), `${name} in ${names}`);
    await choice.selectOption(name);
    // the page keeps 24 bits of each number
    const [own, difference] = [await lineOf(page, 'compare-both', 0), await lineOf(page, 'compare-difference', 0)];
    const largest = Math.max(...own.map(Math.abs));
    assert.ok(Math.max(...difference.map(Math.abs)) <= 2 ** -23 * largest, name);
  }
  await close();
});

test('data without times are refused', () => {
  const place = folder();
  const run = recording(place, 'a', 0, 0.5);
  writeFileSync(join(place, 'odd.csv'), 'x,y\n1,2\n');
  const done = spawnSync(program, ['report', run, join(place, 'odd.csv'), '-o', join(place, 'odd.html')], { encoding: 'utf8' });
  assert.equal(done.status, 2);
  assert.match(done.stderr, /no column time_s/);
});
