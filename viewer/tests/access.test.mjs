// Pages for everybody: no finding of axe-core, in light and dark, large and small; nothing is lost on paper.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, open, pageOfScene, picture, program, root, sizes, startBrowser } from './support.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const scenes = ['woodpecker', 'wall', 'play'];
let browser;
let pages;
before(async () => {
  browser = await startBrowser();
  pages = scenes.map((name) => pageOfScene(join(root, 'scenes', `${name}.toml`)));
});
after(() => browser?.close());

for (const [size, options] of sizes) {
  for (const colorScheme of ['light', 'dark']) {
    test(`axe finds nothing, ${size}, ${colorScheme}`, async () => {
      for (const [i, name] of scenes.entries()) {
        // the page runs no script but its own: axe is let in past its policy
        const { page, close } = await open(browser, pages[i], { ...options, colorScheme, bypassCSP: true });
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
        const told = violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`);
        assert.deepEqual(told, []);
        await close();
      }
    });
  }
}

test('axe finds nothing on pages of branches and of studies, and with a picked body', async () => {
  const place = folder();
  const point = (w) => ({ value: w, period_s: 6 / w, stable: w < 2, multipliers: [[-w / 2, 0]], min: [-w], max: [w] });
  const orbit = { converged: true, residual: 0, period_s: 3, start: { x: { q: 1, u: 0, min: -2, max: 2 } }, stable: true, multipliers: [[-1, 0]], events: [{ time_s: 1, kind: 'impact', place: 'wall', percussion_Ns: 1 }] };
  writeFileSync(join(place, 'branch.json'), JSON.stringify({ title: 'A branch', over: 'w', end: 'range', coordinates: ['x'], points: [1, 2, 3].map(point), special: [{ kind: 'flip', value: 2, orbit }] }));
  writeFileSync(join(place, 'orbit.json'), JSON.stringify(orbit));
  writeFileSync(join(place, 'study.csv'), 'run,study,parameters.mu,time_step_s,status,end,end_s,steps,x\n0,s,1,0.001,certified,duration,1,10,2\n1,s,2,0.001,certified,duration,1,10,3\n');
  const files = ['branch.json', 'orbit.json', 'study.csv'].map((name) => {
    assert.equal(spawnSync(program, ['report', join(place, name), '-o', join(place, `${name}.html`)]).status, 0);
    return join(place, `${name}.html`);
  });
  const study = join(place, 'runs.html');
  const made = spawnSync(program, ['study', join(root, 'scenes', 'bouncing_balls.toml'), '--vary', 'duration_s=0.2,0.3', '--page', study, '--quiet']);
  assert.ok(made.status === 0 || made.status === 1);
  for (const file of [...files, study, `${study}#run=1`, `${pages[1]}#t=0.2&pick=brick_1_1&show=arrows,residual`, `${pages[1]}#t=0.2&bodies=brick_1_1,brick_1_3`]) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, close } = await open(browser, file, { colorScheme, bypassCSP: true });
      if (file.includes('pick=')) assert.match(await page.locator('.bodies table caption').textContent(), /^Free-body diagram of brick_1_1/);
      if (file.includes('bodies=')) assert.equal(await page.evaluate(() => window.carom.plots.shownBodies.length), 2);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${file}: ${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`), []);
      await close();
    }
  }
});

test('on paper there are no buttons, and a dark page is light', async () => {
  const { page, close } = await open(browser, pages[1], { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('section')).backgroundColor), 'rgb(255, 255, 255)');
  for (const node of await page.locator('.controls button, .controls select, .controls input, .tools button, .tools select').all()) assert.equal(await node.isVisible(), false);
  assert.match(await page.locator('.clock').textContent(), /t = 0.s/);
  assert.equal(await page.locator('.clock').isVisible(), true);
  assert.equal(await page.locator('.stage').isVisible(), true);
  // what is folded up is not there, values of an instant that a pointer asks for neither; colours that mean something are
  for (const node of await page.locator('summary, #phase, .u-legend .u-value').all()) assert.equal(await node.isVisible(), false);
  assert.equal(await page.locator('.u-legend .u-label').nth(1).isVisible(), true);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.bar, .swatch')).printColorAdjust), 'exact');
  await picture(page, 'print');
  await close();
});
