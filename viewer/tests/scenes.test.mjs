// Pages that carom itself makes, of every scene that we hand out.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open, pageOfScene, picture, root, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** How many pixels of the moving picture are drawn on, be it plain or WebGL. */
const drawnPixels = () => {
  const canvas = document.querySelector('.stage canvas');
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
  window.carom.playback.show(); // WebGL keeps its picture until the end of the task that drew it
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) ++count;
  return count;
};

for (const file of readdirSync(join(root, 'scenes')).filter((name) => name.endsWith('.toml'))) {
  test(`the page of ${file}`, async () => {
    const { page, mistakes, requests, close } = await open(browser, pageOfScene(join(root, 'scenes', file)));
    // two steps choose differently where theory leaves a choice: docs/verification.md
    const wanted = file === 'frictional_catastrophe.toml' ? /not certified/ : /✓ certified/;
    assert.match(await page.locator('.badge').textContent(), wanted);
    await page.keyboard.press('.');
    await page.evaluate(() => window.carom.player.seek(0.4 * window.carom.player.end + 0.6 * window.carom.player.start));
    const draws = await page.evaluate(() => window.carom.run.head.draw.length > 0 || !!window.carom.run.head.solids);
    if (draws) assert.ok((await page.evaluate(drawnPixels)) > 500);
    await picture(page, `scene-${file.replace('.toml', '')}`);
    assert.deepEqual(mistakes, []);
    assert.equal(requests.filter((url) => !/^(data|blob):/.test(url)).length, 1);
    await close();
  });
}

test('every scene has its line in LOOKED_AT.md, and every line its scene', () => {
  const lines = readFileSync(join(root, 'viewer', 'LOOKED_AT.md'), 'utf8').split('\n');
  const told = lines.flatMap((line) => /^\| `(\w+)` \|/.exec(line)?.[1] ?? []);
  const there = readdirSync(join(root, 'scenes')).flatMap((name) => /^(\w+)\.toml$/.exec(name)?.[1] ?? []);
  assert.deepEqual(told.sort(), there.sort());
});

test('a scene whose title is a script is a title', async () => {
  const title = '</script><script>alert(1)</script>';
  const scene = `title = "${title}"\nduration_s = 0.5\n[[coordinate]]\nname = "z"\nstart = 1\nunit = "<b>m</b>"\n[lagrangian]\nkinetic = "z'^2/2"\npotential = "9.81*z"\n[[draw]]\nkind = "point"\nat = [0, "z"]\nlabel = "<!--</script>"\n`;
  const { page, mistakes, close } = await open(browser, pageOfScene(scene));
  assert.equal(await page.locator('h1').textContent(), title);
  assert.equal(await page.locator('b').count(), 0);
  assert.deepEqual(mistakes, []);
  await close();
});
