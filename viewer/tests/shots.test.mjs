// The stage as it looked when somebody last looked at it: pictures of scenes, compared within a tolerance.
// Drawn in software, with a font that is in the repository. New pictures: CAROM_SHOTS=write npm test; look at them before they are committed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, open, pageOfScene, program, root, startBrowser } from './support.mjs';

const shots = join(import.meta.dirname, 'shots');
const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1 };

// scene, instant, what is shown, how
const wanted = [
  ['arch', 0.5, '', {}],
  ['arch', 0.5, '', { colorScheme: 'dark' }],
  ['bowling', 0.4, 'pick=ball', {}],
  ['bowling', 0.4, 'show=arrows,speed', phone],
  ['cradle', 0.3, '', {}],
  ['dominoes', 0.4, 'show=none,status', { colorScheme: 'dark' }],
  ['elastoplastic_truss', 2.6, '', {}],
  ['heap', 0.8, '', {}],
  ['incline', 0.5, 'pick=slides~slope', {}],
  ['woodpecker', 0.9, '', {}],
  ['woodpecker', 0.9, '', { ...phone, colorScheme: 'dark' }],
];

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** Pages of several runs. */
const results = {
  branch: (place) => [['branch', scene('impact_oscillator'), '--period', '2*pi/w', '--over', 'parameters.w=2.2:2.8', '--doublings', '1', '-o', join(place, 'page.html')]],
  comparison: (place) => [
    ['run', scene('bowl'), '-o', join(place, 'rough.h5'), '--quiet', '--no-svg'],
    ['run', scene('bowl'), '--set', 'parameters.mu=0.05', '-o', join(place, 'smooth.h5'), '--quiet', '--no-svg'],
    ['report', join(place, 'rough.h5'), join(place, 'smooth.h5'), '-o', join(place, 'page.html')],
  ],
  convergence: (place) => [
    ['study', scene('follower_pendulum'), '--converge', '--levels', '5', '--at', '1', '-o', join(place, 'table.csv'), '--quiet'],
    ['report', join(place, 'table.csv'), '-o', join(place, 'page.html')],
  ],
};

function scene(name) {
  return join(root, 'scenes', `${name}.toml`);
}

function pageOfResults(name) {
  const place = folder();
  for (const words of results[name](place)) {
    const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
    assert.ok(status === 0 || status === 1, stderr);
  }
  return join(place, 'page.html');
}

const pages = new Map();
function pageOf(name) {
  if (!pages.has(name)) pages.set(name, results[name] ? pageOfResults(name) : pageOfScene(scene(name)));
  return pages.get(name);
}

/** The part of the pixels that differ by more than a shade, in pictures made four times smaller: edges may lie elsewhere. */
const difference = (page, a, b) =>
  page.evaluate(
    async ([first, second]) => {
      const pixels = async (data) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
        const canvas = new OffscreenCanvas(Math.round(image.width / 4), Math.round(image.height / 4));
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        return { width: canvas.width, height: canvas.height, data: context.getImageData(0, 0, canvas.width, canvas.height).data };
      };
      const [x, y] = [await pixels(first), await pixels(second)];
      if (x.width !== y.width || x.height !== y.height) return 1;
      let off = 0;
      for (let i = 0; i < x.data.length; i += 4) {
        if (Math.max(...[0, 1, 2].map((k) => Math.abs(x.data[i + k] - y.data[i + k]))) > 48) ++off;
      }
      return off / (x.data.length / 4);
    },
    [a.toString('base64'), b.toString('base64')],
  );

// the whole page with its controls, at both sizes, light and dark
const sizes = { desktop: { viewport: { width: 1280, height: 900 } }, phone };
for (const name of ['bowling', 'woodpecker']) {
  for (const size of Object.keys(sizes)) for (const colorScheme of ['light', 'dark']) wanted.push([name, 0.4, '', { ...sizes[size], colorScheme, whole: size }]);
}
for (const name of Object.keys(results)) {
  for (const [size, colorScheme] of [['desktop', 'light'], ['phone', 'dark']]) wanted.push([name, 0.6, '', { ...sizes[size], colorScheme, whole: size }]);
}

const font = readFileSync(join(root, 'src', 'figure', 'font', 'DejaVuSans-subset.ttf')).toString('base64');

/** The same letters everywhere. */
async function fixFont(page) {
  await page.addStyleTag({ content: `@font-face { font-family: Shot; src: url(data:font/ttf;base64,${font}); } :root, * { font-family: Shot !important; }` });
  await page.evaluate(async () => {
    await document.fonts.load('16px Shot');
    const { plots, playback, orbits, study } = window.carom;
    plots?.rebuild();
    playback?.show();
    (orbits ?? study)?.draw();
  });
}

for (const [what, t, words, { whole = '', ...options }] of wanted) {
  const name = [whole ? 'page' : '', what, words.replace(/[^a-z]+/g, '-'), whole || (options.isMobile ? 'phone' : ''), options.colorScheme ?? ''].filter((part) => part).join('_');
  test(`${name} looks as it did`, async () => {
    const { page, mistakes, close } = await open(browser, `${pageOf(what)}#t=${t}${words ? `&${words}` : ''}`, { ...options, bypassCSP: true });
    await fixFont(page);
    await page.waitForTimeout(150);
    const now = whole ? await page.screenshot() : await page.locator('.stage').screenshot();
    const file = join(shots, `${name}.png`);
    assert.deepEqual(mistakes, []);
    if (process.env.CAROM_SHOTS === 'write') {
      mkdirSync(shots, { recursive: true });
      writeFileSync(file, now);
    } else {
      assert.ok(existsSync(file), `there is no ${file}: write it with CAROM_SHOTS=write and look at it`);
      const part = await difference(await (await browser.newContext()).newPage(), now, readFileSync(file));
      assert.ok(part < 0.003, `${(100 * part).toFixed(2)} % of the picture differ`);
    }
    await close();
  });
}
