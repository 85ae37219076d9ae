// Pages for everybody: no finding of axe-core, in light and dark, large and small; nothing is lost on paper.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open, pageOfScene, picture, root, sizes, startBrowser } from './support.mjs';

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

test('on paper there are no buttons, and a dark page is light', async () => {
  const { page, close } = await open(browser, pages[1], { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('section')).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await page.locator('.controls').isVisible(), false);
  assert.equal(await page.locator('.stage').isVisible(), true);
  await picture(page, 'print');
  await close();
});
