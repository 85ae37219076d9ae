// Friction on the page: percussions with all components, statuses, and the cone of a picked contact.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open, pageOf, pageOfScene, picture, root, startBrowser } from './support.mjs';

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

/** A block that sticks until 0.5 s and slides to the right then: P_T = -0.1 and then -0.3 = -mu P_N. */
function block(dimension, tangentColumns = -1) {
  const frames = Array.from({ length: 101 }, (_, i) => i * 0.01);
  const same = (x) => frames.map(() => x);
  const at = (name, values) => ({ name, values });
  const place = dimension === 2 ? [0, 0] : [0, 0, 0];
  const normal = dimension === 2 ? [0, 1] : [0, 0, 1];
  const tangent = tangentColumns > 0 ? [0, 1, 0].slice(0, dimension) : [];
  const columns = [...place, ...normal, ...tangent, ...place.map((x, i) => (i === 0 ? -1 : x)), ...place.map((x, i) => (i === 0 ? 1 : x))];
  const entry = { kind: 'point', label: 'block', colour: 'blue', contact: 0, closed: false, dimension, points: 1, first: 0, radius: -1, normal: dimension, tangent: tangent.length ? 2 * dimension : -1 };
  const floor = { ...entry, kind: 'segment', label: '', colour: 'grey', contact: -1, points: 2, first: columns.length - 2 * dimension, normal: -1, tangent: -1 };
  const around = Array.from({ length: 64 }, (_, i) => [Math.cos((2 * Math.PI * i) / 64), Math.sin((2 * Math.PI * i) / 64)]);
  return {
    head: {
      coordinates: [{ name: 'x', unit: 'm' }], contacts: ['floor'], draw: [entry, floor],
      event_kinds: ['impact', 'contact_made', 'contact_lost', 'stick', 'slip'],
      friction: [{ contact: 0, first: 0, dimension: dimension - 1, outline: dimension === 2 ? [[-1, 0], [1, 0]] : around }],
    },
    tracks: [
      at('time_s', frames), at('q.0', frames), at('gap_m.0', same(0)), at('percussion_Ns.0', same(1)),
      at('friction.percussion_Ns.0', frames.map((t) => (t <= 0.5 ? -0.1 : -0.3))),
      ...(dimension === 3 ? [at('friction.percussion_Ns.1', same(0))] : []),
      at('friction.mu.0', same(0.3)), ...columns.map((x, i) => at(`draw.${i}`, same(x))),
      at('events.time_s', [0.005, 0.5]), at('events.kind', [3, 4]), at('events.contact', [0, 0]), at('events.percussion_Ns', [1, 1]),
      at('events.velocity_before_m_s', [0, 0]), at('events.velocity_after_m_s', [0, 0.1]), at('events.energy_J', [0, 0]),
    ],
  };
}

/** How many pixels of the picture have about this colour. */
const pixelsOf = (colour) => {
  const canvas = document.querySelector('.stage canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const wanted = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 200 && wanted.every((x, k) => Math.abs(data[i + k] - x) < 12)) ++count;
  }
  return count;
};
const stick = '#0072B2';
const slip = '#E69F00';

const withStatus = (page) => ({ ...page.head, palette: { colours: [{ name: 'blue', value: '#0072B2' }, { name: 'grey', value: '#888888' }], lines: 1, status: { open: '#56B4E9', closed: '#009E73', impact: '#D55E00', stick, slip } } });

test('arrows have the colour of what the contact does, and lean as friction does', async () => {
  const data = block(2);
  const { page, mistakes, close } = await open(browser, pageOf(withStatus(data), data.tracks));
  await page.evaluate(() => window.carom.player.seek(0.3));
  assert.match(await page.locator('#playback').textContent(), /sticks/);
  assert.ok((await page.evaluate(pixelsOf, stick)) > 150);
  assert.equal(await page.evaluate(pixelsOf, slip), 0);
  await page.evaluate(() => window.carom.player.seek(0.8));
  assert.ok((await page.evaluate(pixelsOf, slip)) > 150);
  assert.equal(await page.evaluate(pixelsOf, stick), 0);
  assert.deepEqual(mistakes, []);
  await close();
});

test('a contact is picked by the keyboard, its button or a press, and the text tells what the cone shows', async () => {
  const data = block(2);
  const { page, mistakes, close } = await open(browser, pageOf(withStatus(data), data.tracks));
  const words = () => page.locator('.picked').textContent();
  assert.match(await words(), /Click a contact/);
  await page.evaluate(() => window.carom.player.seek(0.3));
  await page.keyboard.press('c');
  // 0.1 of the 0.3 that friction bears
  assert.match(await words(), /floor sticks: P_N = 1\sN\ss, \|P_T\| = 0\.1\sN\ss, 33\.3 % .* μ = 0\.3/);
  await picture(page, 'cone-plane-stick');
  await page.evaluate(() => window.carom.player.seek(0.8));
  assert.match(await words(), /floor slips: .* 100 %/);
  await picture(page, 'cone-plane-slip');
  await page.keyboard.press('Escape');
  assert.match(await words(), /Click a contact/);

  const button = page.locator('#playback button', { hasText: 'floor' });
  await button.click();
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await button.click();
  assert.equal(await page.evaluate(() => window.carom.playback.picked), -1);

  // the block is at the origin, which is in the middle of the picture
  await page.locator('.stage').scrollIntoViewIfNeeded();
  const box = await page.locator('.stage canvas').boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.equal(await page.evaluate(() => window.carom.playback.picked), 0);
  await page.mouse.click(box.x + 10, box.y + 10);
  assert.equal(await page.evaluate(() => window.carom.playback.picked), -1);
  assert.deepEqual(mistakes, []);
  await close();
});

test('the percussion lies inside the drawn sector, and the sector opens by mu to both sides', async () => {
  const data = block(2);
  const { page, close } = await open(browser, pageOf(withStatus(data), data.tracks));
  for (const [t, part] of [[0.3, -0.1], [0.8, -0.3]]) {
    const cone = await page.evaluate((time) => {
      const { playback } = window.carom;
      return playback.coneAt(0, time);
    }, t);
    const [low, high] = cone.rim.map((x, i) => (x[0] - cone.apex[0]) / (x[1] - cone.apex[1]));
    // single precision of the places
    assert.ok(Math.abs(low + 0.3) < 1e-6 && Math.abs(high - 0.3) < 1e-6);
    assert.ok(Math.abs(cone.percussion[0] / cone.percussion[1] - part) < 1e-6);
  }
  await close();
});

test('in space the cone is round and t1 points where the drawing says', async () => {
  for (const given of [-1, 1]) {
    const data = block(3, given);
    const { page, mistakes, close } = await open(browser, pageOf(withStatus(data), data.tracks));
    assert.equal(await page.evaluate(() => window.carom.playback.stage.kind), 'webgl');
    await page.evaluate(() => window.carom.player.seek(0.8));
    await page.keyboard.press('c');
    const cone = await page.evaluate(() => window.carom.playback.coneAt(0, 0.8));
    for (const [x, y, z] of cone.rim) assert.ok(Math.abs(Math.hypot(x, y) / z - 0.3) < 1e-6);
    const axis = given < 0 ? 0 : 1;
    assert.ok(Math.abs(cone.percussion[axis] / cone.percussion[2] + 0.3) < 1e-6);
    await picture(page, `cone-space-${given < 0 ? 'x' : 'y'}`);

    // a press on the contact in space: it is in the middle of the picture
    await page.keyboard.press('Escape');
    const at = await page.evaluate(() => {
      const box = document.querySelector('.stage canvas').getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    });
    await page.mouse.click(...at);
    assert.equal(await page.evaluate(() => window.carom.playback.picked), 0);
    assert.deepEqual(mistakes, []);
    await close();
  }
});

for (const [scene, contact, time] of [['stick_slip_belt', 0, 1], ['bowl', 0, 0.8], ['vibrating_table', 0, 0.5], ['woodpecker', 0, 0.137], ['frictional_catastrophe', 0, 0]]) {
  test(`percussions of ${scene} are in their cones at every frame`, async () => {
    const { page, mistakes, close } = await open(browser, pageOfScene(join(root, 'scenes', `${scene}.toml`)));
    const worst = await page.evaluate(() => {
      const { playback, run } = window.carom;
      let most = 0;
      for (const t of run.track('time_s')) {
        run.head.contacts.forEach((_, c) => {
          const percussion = playback.percussions.at(c, t, 0);
          const used = percussion ? playback.percussions.used(c, t, percussion) : null;
          if (used !== null) most = Math.max(most, used);
        });
      }
      return most;
    });
    // numbers on the page are single precision; the circle has 64 corners, whose edges are 0.12 % inside
    assert.ok(worst > 0.1 && worst < 1.0015, String(worst));
    await page.evaluate(([c, t]) => {
      window.carom.player.seek(t);
      window.carom.playback.pick(c);
    }, [contact, time]);
    await picture(page, `friction-${scene}`);
    assert.deepEqual(mistakes, []);
    await close();
  });
}
