import { CanvasTexture, LinearFilter, Sprite, SpriteMaterial, Vector2, type PerspectiveCamera, type Scene } from 'three';

import type { Colours } from './colours';
import type { DrawEntry } from './data';
import { pageFont } from './text';

/** Height of a name in pixels of the stage, and how much finer its letters are drawn. */
const height = 18;
const fineness = 3;

/** Names of drawn things in space: they face the reader and keep their size, near or far. */
export class Labels {
  private readonly labels: { entry: DrawEntry; sprite: Sprite; width: number }[];

  constructor(scene: Scene, entries: DrawEntry[]) {
    this.labels = entries
      .filter(({ label, kind }) => label && kind !== 'trace')
      .map((entry) => {
        const sprite = new Sprite(new SpriteMaterial({ depthTest: false, sizeAttenuation: false, transparent: true }));
        sprite.center = new Vector2(-0.06, -0.3); // to the upper right of its point
        sprite.renderOrder = 2;
        scene.add(sprite);
        return { entry, sprite, width: height };
      });
  }

  /** Letters in the colour of the page. */
  paint(colours: Colours): void {
    for (const label of this.labels) {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d');
      if (!context) return;
      const font = pageFont(fineness * 13);
      context.font = font;
      canvas.width = Math.ceil(context.measureText(label.entry.label).width);
      canvas.height = fineness * height;
      context.font = font; // a new size makes a canvas forget it
      context.fillStyle = colours.text;
      context.textBaseline = 'middle';
      context.fillText(label.entry.label, 0, canvas.height / 2);
      label.width = canvas.width / fineness;
      const { material } = label.sprite;
      material.map?.dispose();
      material.map = new CanvasTexture(canvas);
      material.map.minFilter = LinearFilter;
      material.map.generateMipmaps = false;
      material.needsUpdate = true;
    }
  }

  /** As large as the page's own words on a stage of this height. */
  resize(stageHeight: number, { fov }: PerspectiveCamera): void {
    const perPixel = (2 * Math.tan((fov * Math.PI) / 360)) / Math.max(1, stageHeight);
    for (const { sprite, width } of this.labels) sprite.scale.set(width * perPixel, height * perPixel, 1);
  }

  place(placeOf: (entry: DrawEntry) => [number, number, number]): void {
    for (const { entry, sprite } of this.labels) sprite.position.set(...placeOf(entry));
  }
}
