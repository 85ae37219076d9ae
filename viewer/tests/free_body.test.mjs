// Bodies and contacts as things to pick: on the stage, in lists, by keys; what is said about them sums to m a.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { crates as sliding, oneCrate, slidingDisc } from './scene_texts.mjs';
import { inWindow, looks, open, pageOfScene, picture, seek, sizes, startBrowser } from './support.mjs';

let browser;
let crates;
before(async () => {
  browser = await startBrowser();
  crates = pageOfScene(sliding);
});
after(() => browser?.close());

for (const [name, options] of sizes) {
  test(`a body is picked by a press, by its list and by keys, ${name}`, async () => {
    const { page, mistakes, close } = await open(browser, crates, options);
    await seek(page, 0.1);
    await page.locator('.stage').scrollIntoViewIfNeeded();
    // the middle of the upper crate's front face, 0.1 s after it started with 1 m/s
    const [x, y] = await inWindow(page, [0.1 - 0.5 * 0.4 * 9.81 * 0.01, -0.1, 0.32]);
    await (options.hasTouch ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
    assert.equal((await looks(page)).pickedBody, 2);
    assert.match(await page.locator('.bodies .picked').textContent(), /^upper: mass 1.kg, material wood/);
    await page.getByLabel('Picked body').selectOption({ label: 'lower' });
    assert.equal((await looks(page)).pickedBody, 1);
    await page.keyboard.press('b');
    assert.equal((await looks(page)).pickedBody, 2);
    await page.keyboard.press('Shift+B');
    assert.equal((await looks(page)).pickedBody, 1);
    await picture(page, `free-body-${options.hasTouch ? 'phone' : 'desktop'}`);
    await page.keyboard.press('Escape');
    assert.equal((await looks(page)).pickedBody, -1);
    assert.deepEqual(mistakes, []);
    await close();
  });
}

test('the free-body diagram sums to m a: friction stops both crates together', async () => {
  const { page, mistakes, close } = await open(browser, crates);
  await seek(page, 0.1);
  for (const [body, mass] of [['lower', 3], ['upper', 1]]) {
    await page.getByLabel('Picked body').selectOption({ label: body });
    const diagram = await page.evaluate(() => {
      const { picture } = window.carom.playback;
      return picture.free.at(picture.looks.pickedBody, window.carom.player.time);
    });
    // numbers of the page are single precision
    diagram.sum.forEach((x, i) => assert.ok(Math.abs(x - diagram.massTimesAcceleration[i]) < 1e-4, `${x} N is not ${diagram.massTimesAcceleration[i]} N`));
    // Coulomb: both slow down with mu g
    assert.ok(Math.abs(diagram.massTimesAcceleration[0] + 0.4 * 9.81 * mass) < 1e-3);
    const rows = await page.locator('.bodies table tbody tr').allTextContents();
    assert.ok(rows.some((row) => row.startsWith('sum')) && rows.some((row) => row.startsWith('m a')) && rows.some((row) => row.startsWith('weight')));
  }
  // at the start there was no step, and the page says so
  await seek(page, 0);
  assert.match(await page.locator('.bodies .picked').textContent(), /No step has been taken/);
  assert.deepEqual(mistakes, []);
  await close();
});

test('a contact has gap, forces, status, cone and history', async () => {
  const { page, mistakes, close } = await open(browser, crates);
  await seek(page, 0.1);
  await page.keyboard.press('c');
  const { pickedPair } = await looks(page);
  assert.deepEqual([...pickedPair].sort(), [0, 1]);
  assert.match(await page.locator('.bodies .picked').textContent(), /slips, 4 points, normal force 39\.2/);
  const cones = await page.evaluate(() => {
    const { picture } = window.carom.playback;
    return picture.forces.cones(window.carom.player.time, picture.looks, false);
  });
  assert.equal(cones.length, 4);
  // a point that slides pushes along its cone: as far from the axis as the rim is
  for (const { apex, rim, percussion } of cones) {
    const radius = Math.hypot(rim[0][0] - apex[0], rim[0][1] - apex[1]);
    const height = rim[0][2] - apex[2];
    // of the force on the crate, not on the floor: upwards, and against its sliding along x
    assert.ok(Math.abs(radius / height - 0.4) < 1e-4);
    assert.ok(Math.abs(-percussion[0] / percussion[2] - 0.4) < 1e-3);
  }
  // its history: the normal force carries both crates all the time
  const last = await page.evaluate(() => window.carom.plots.charts.find(({ panel }) => panel.id === 'pair-force').panel.lines[0].values.at(-1));
  assert.ok(Math.abs(last - 4 * 9.81) < 1e-2);
  await seek(page, 0.39);
  assert.match(await page.locator('.bodies .picked').textContent(), /sticks/);
  await page.keyboard.press('c');
  assert.deepEqual([...(await looks(page)).pickedPair].sort(), [1, 2]);
  await picture(page, 'contact-of-bodies');
  assert.deepEqual(mistakes, []);
  await close();
});

test('in the plane a disc is picked on the canvas, and its contact has a cone of two lines', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(slidingDisc));
  await seek(page, 0.05);
  const place = await page.evaluate(() => window.carom.playback.picture.solids.place(1, window.carom.playback.picture.at(0.05, 0).bodies));
  const [x, y] = await inWindow(page, [place[0], place[1] + 0.04, 0]);
  await page.mouse.click(x, y);
  assert.equal((await looks(page)).pickedBody, 1);
  await page.keyboard.press('Escape');
  await page.keyboard.press('c');
  const rims = await page.evaluate(() => window.carom.playback.picture.forces.cones(0.05, window.carom.playback.picture.looks, true).map(({ rim }) => rim.length));
  assert.deepEqual(rims, [2]);
  await picture(page, 'contact-in-the-plane');
  assert.deepEqual(mistakes, []);
  await close();
});

test('colours, ghost, traces, cut, see-through and views change what is drawn', async () => {
  const { page, mistakes, close } = await open(browser, crates);
  await seek(page, 0.2);
  const shot = async () => (await page.locator('.stage').screenshot()).toString('base64');
  let before = await shot();
  const changes = async (what, act) => {
    await act();
    await page.waitForTimeout(60);
    const after = await shot();
    assert.notEqual(after, before, what);
    before = after;
  };
  for (const by of ['speed', 'force', 'status', 'material']) await changes(by, () => page.getByLabel('Colour by').selectOption(by));
  assert.match(await page.locator('.key-of-forces').textContent(), /wood/);
  await changes('chains', () => page.getByLabel('Forces', { exact: true }).selectOption('chains'));
  await changes('thicker', () => page.getByRole('button', { name: 'Longer arrows, thicker chains' }).click());
  for (const name of [/at the start of the run/, /paths of the bodies/, /bodies transparent/]) await changes(String(name), () => page.getByRole('button', { name }).click());
  await changes('cut', () => page.getByLabel('Cut', { exact: true }).selectOption('2'));
  await changes('cut moved', () => page.getByLabel('Position of the cut').fill('0.2'));
  await page.getByRole('button', { name: 'Save this view as 1' }).click();
  await changes('top', () => page.getByLabel('Look', { exact: true }).selectOption('top'));
  const top = await page.evaluate(() => window.carom.playback.stage.view());
  assert.ok(Math.hypot(top[3] - top[0], top[4] - top[1]) < 0.01 * (top[5] - top[2]), 'seen from above');
  await changes('back to the kept view', () => page.getByRole('button', { name: 'Go to saved view 1' }).click());
  assert.deepEqual(mistakes, []);
  await close();
});

test('distances and angles are measured on the bodies', async () => {
  const { page, close } = await open(browser, pageOfScene(slidingDisc));
  await page.getByRole('button', { name: /Click two points/ }).click();
  for (const point of [[0, 0.1, 0], [0.05, 0.1, 0], [0.05, 0.15, 0]]) await page.mouse.click(...(await inWindow(page, point)));
  // a pixel is about a millimetre here
  const words = await page.locator('.measured').textContent();
  const [, distance] = /Distance ([\d.]+).m/.exec(words);
  const [, angle] = /point ([\d.]+)°/.exec(words);
  assert.ok(Math.abs(Number(distance) - 0.05) < 2e-3, words);
  assert.ok(Math.abs(Number(angle) - 90) < 4, words);
  // what was measured is seen on the stage, until the tool is put away
  const measured = () => page.evaluate(() => window.carom.playback.picture.looks.measured.length);
  const shot = async () => (await page.locator('.stage').screenshot()).toString('base64');
  const marked = await shot();
  assert.equal(await measured(), 3);
  await page.getByRole('button', { name: /Click two points/ }).click();
  assert.equal(await measured(), 0);
  await page.mouse.move(5, 5);
  assert.notEqual(await shot(), marked);
  await close();
});

test('an address opens an instant, a view and a pick; Link writes such an address', async () => {
  const { page, mistakes, close } = await open(browser, `${crates}#t=0.25&camera=top&pick=lower~floor&show=chains,speed`);
  assert.equal(await page.evaluate(() => window.carom.player.time), 0.25);
  assert.deepEqual((await looks(page)).pickedPair, [1, 0]);
  assert.equal((await looks(page)).colourBy, 'speed');
  await page.getByRole('button', { name: /into the address/ }).click();
  const address = await page.evaluate(() => location.hash);
  const view = await page.evaluate(() => window.carom.playback.stage.view());
  const again = await open(browser, `${crates}${address}`);
  assert.equal(await again.page.evaluate(() => window.carom.player.time), 0.25);
  (await again.page.evaluate(() => window.carom.playback.stage.view())).forEach((x, i) => assert.ok(Math.abs(x - view[i]) < 1e-3, `${x} is not ${view[i]}`));
  // how bodies are shown is kept too, and the tools say so
  const dressed = await open(browser, `${crates}#t=0.1&with=ghost,traces&cut=z,0.7&scale=2.25`);
  const { ghost, traces, transparent, cut, arrowScale } = await looks(dressed.page);
  assert.deepEqual({ ghost, traces, transparent, cut, arrowScale }, { ghost: true, traces: true, transparent: false, cut: { axis: 2, part: 0.7 }, arrowScale: 2.25 });
  assert.equal(await dressed.page.getByRole('button', { name: /at the start of the run/ }).getAttribute('aria-pressed'), 'true');
  assert.equal(await dressed.page.getByLabel('Position of the cut').inputValue(), '0.7');
  await dressed.page.getByRole('button', { name: /into the address/ }).click();
  assert.match(await dressed.page.evaluate(() => location.hash), /with=ghost,traces&cut=z,0.7&scale=2.25/);
  assert.deepEqual(dressed.mistakes, []);
  await dressed.close();
  // nonsense is passed over
  const odd = await open(browser, `${crates}#t=soon&camera=1,2,x&pick=nobody&plots=3&with=wings&cut=q,7&scale=-1`);
  assert.deepEqual(odd.mistakes, []);
  assert.equal(await odd.page.evaluate(() => window.carom.player.time), 0);
  assert.deepEqual(mistakes, []);
  await Promise.all([close(), again.close(), odd.close()]);
});

// a bob on a pin that a motor drives, and a slider on a rail below it: joints bear forces and couples
const joined = `duration_s = 0.5
[[body]]
name = "arm"
shape = "box"
size_m = [0.6, 0.05, 0.05]
position_m = [0.3, 0, 0]
mass_kg = 2
[[body]]
name = "bob"
shape = "sphere"
radius_m = 0.1
position_m = [0.6, 0, -0.4]
mass_kg = 1
[[joint]]
name = "pin"
kind = "revolute"
first = "arm"
axis = [0, 1, 0]
point_m = [0, 0, 0]
[[joint]]
name = "weld"
kind = "fixed"
first = "bob"
second = "arm"
point_m = [0.6, 0, 0]
[integrator]
time_step_s = 1e-3
[record]
every_s = 0.01
`;

test('joints: forces and couples on jointed bodies sum to m a and dL/dt, without a remainder', async () => {
  const { page, mistakes, close } = await open(browser, pageOfScene(joined));
  let couple = 0;
  for (const t of [0.05, 0.2, 0.4]) {
    await seek(page, t);
    for (const body of ['arm', 'bob']) {
      await page.getByLabel('Picked body').selectOption({ label: body });
      const diagram = await page.evaluate(() => {
        const { picture } = window.carom.playback;
        return picture.free.at(picture.looks.pickedBody, window.carom.player.time);
      });
      assert.ok(!diagram.forces.some(({ name }) => /onto the joints/.test(name)));
      const size = diagram.forces.reduce((sum, { force }) => sum + Math.hypot(...force), 0);
      // numbers of the page are single precision
      diagram.sum.forEach((x, i) => assert.ok(Math.abs(x - diagram.massTimesAcceleration[i]) < 1e-5 * size, `${body} at ${t}: ${x} N is not ${diagram.massTimesAcceleration[i]} N`));
      // joints are drawn where they are at the frame, half a step after the forces act: some mm of the arms
      diagram.moment.forEach((x, i) => assert.ok(Math.abs(x - diagram.spinRate[i]) < 5e-3 * size, `${body} at ${t}: ${x} N m is not ${diagram.spinRate[i]} N m`));
      for (const { couple: c } of diagram.forces) couple = Math.max(couple, Math.hypot(...c));
    }
  }
  // the weld holds the bob, which would swing by itself: its couple is seen as an arc
  assert.ok(couple > 0.1);
  const bent = await page.evaluate(() => {
    const { picture } = window.carom.playback;
    return picture.forces.arrows(picture.at(window.carom.player.time, 0), picture.looks).filter(({ headless }) => headless).length;
  });
  assert.ok(bent > 2);
  assert.match(await page.locator('.key-of-forces').textContent(), /couples, largest/);
  await picture(page, 'free-body-joints');
  assert.deepEqual(mistakes, []);
  await close();
});

test('the arrow of the key is as long as a force of its size, of all contacts and of a picked body', async () => {
  const { page, close } = await open(browser, pageOfScene(oneCrate));
  await seek(page, 0.05);
  const keyAndArrow = (body) =>
    page.evaluate((b) => {
      const { playback, player } = window.carom;
      playback.bodies.pickBody(b);
      const { picture, stage } = playback;
      const key = document.querySelector('.arrow-key');
      const newton = Number(/force of ([\d.]+)/.exec(key.parentElement.textContent)[1]);
      const pixels = parseFloat(key.style.width);
      // weight of the lower crate, 29.43 N, much more than a contact carries, and contact forces as arrows of the stage
      const pose = picture.at(player.time, 0);
      const ways = picture.forces.arrows(pose, picture.looks).filter(({ kind }) => kind === (b < 0 ? 'contact' : 'weight')).map(({ way }) => Math.hypot(...way));
      const forces = [];
      picture.contacts.visit(player.time, (_, f, first, second) => { for (const one of [first, second]) if (picture.solids.head.bodies[one].first >= 0) forces.push(Math.hypot(...f)); });
      return { perNewton: pixels / newton / stage.pixelsPerMetre, ways, forces };
    }, body);
  const all = await keyAndArrow(-1);
  all.ways.forEach((way, i) => assert.ok(Math.abs(way / all.forces[i] / all.perNewton - 1) < 1e-3, `${way} ${all.forces[i]}`));
  const lower = await keyAndArrow(1);
  assert.equal(lower.ways.length, 1);
  assert.ok(Math.abs(lower.ways[0] / 29.43 / lower.perNewton - 1) < 1e-3, JSON.stringify(lower));
  assert.ok(lower.perNewton < 0.9 * all.perNewton, 'arrows of the diagram are shorter: they are seen whole');
  await close();
});
