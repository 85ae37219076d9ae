// carom export --to gltf: what others make of it, namely the validator of Khronos and the loader of three.js.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AnimationMixer, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import validator from 'gltf-validator';
import { folder, program, root } from './support.mjs';

function carom(...call) {
  const done = spawnSync(program, call, { encoding: 'utf8' });
  assert.ok(done.status === 0 || done.status === 1, done.stderr); // 1: not certified
}

function exported(scene, name) {
  const place = folder();
  const run = join(place, 'run.h5');
  carom('run', join(root, 'scenes', `${scene}.toml`), '-o', run, '--no-svg', '--quiet');
  const file = join(place, name);
  carom('export', run, '--to', 'gltf', '-o', file);
  return readFileSync(file);
}

for (const file of readdirSync(join(root, 'scenes')).filter((name) => name.endsWith('.toml'))) {
  const scene = file.replace('.toml', '');
  test(`the asset of ${scene} is valid glTF`, async () => {
    for (const name of ['run.gltf', 'run.glb']) {
      const report = await validator.validateBytes(new Uint8Array(exported(scene, name)));
      const { numErrors, numWarnings, messages } = report.issues;
      assert.equal(numErrors, 0, JSON.stringify(messages.slice(0, 5)));
      assert.equal(numWarnings, 0, JSON.stringify(messages.slice(0, 5)));
      assert.ok(report.info.totalVertexCount > 0);
      if (scene !== 'two_motions') assert.equal(report.info.animationCount, 1); // there the motion found is rest
    }
  });
}

test('three.js moves the pendulum as the formulas do', async () => {
  const bytes = exported('pendulum_wall', 'run.glb');
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const asset = await new Promise((resolve, reject) => new GLTFLoader().parse(buffer, '', resolve, reject));
  const mixer = new AnimationMixer(asset.scene);
  mixer.clipAction(asset.animations[0]).play();
  const bob = [];
  asset.scene.traverse((node) => node.isMesh && bob.push(node));
  const places = [0, 0.3, 0.7, 1.1].map((t) => {
    mixer.setTime(t);
    return bob.map((node) => node.getWorldPosition(new Vector3()));
  });
  // some node goes round a circle about the pivot: its distance from the origin stays, its place does not
  const round = places[0].map((_, i) => places.map((at) => at[i]));
  const moving = round.filter((way) => way[0].distanceTo(way[1]) > 0.01 && way.every((x) => Math.abs(x.length() - way[0].length()) < 2e-3));
  assert.ok(moving.length > 0);
});

test('planes are seen through, so that nothing inside a pen is hidden; bodies are not', () => {
  const asset = JSON.parse(exported('stack', 'run.gltf').toString());
  const glass = asset.materials.filter(({ alphaMode }) => alphaMode === 'BLEND');
  assert.equal(glass.length, 1);
  assert.ok(glass[0].pbrMetallicRoughness.baseColorFactor[3] < 0.5);
  assert.ok(asset.materials.some(({ alphaMode, pbrMetallicRoughness }) => !alphaMode && pbrMetallicRoughness.baseColorFactor[3] === 1));
});
