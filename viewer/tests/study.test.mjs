// Pages of studies: points that open their runs, the order of convergence, how results are spread.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, open, picture, program, startBrowser } from './support.mjs';

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
  assert.match(await page.locator('#outcomes').textContent(), /certified, duration40/);
  await picture(page, 'study');
  assert.deepEqual(mistakes, []);
  await close();
});

test('the order of a method that errs by h^2 is 2', async () => {
  const rows = Array.from({ length: 6 }, (_, k) => `${k},x,${k},${0.1 / 2 ** k},certified,duration,1,10,${1 + (k === 5 ? 0 : (0.1 / 2 ** k) ** 2)}`);
  const { page, mistakes, close } = await openTable(`run,study,level,time_step_s,status,end,end_s,steps,x\n${rows.join('\n')}\n`);
  assert.match(await page.locator('#diagram .picked').textContent(), /order 2\./);
  assert.deepEqual(mistakes, []);
  await close();
});
