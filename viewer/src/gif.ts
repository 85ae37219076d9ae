// Moving GIF: one palette for all pictures. What occurs most often keeps its colour, the rest is cut at its medians.

type Box = { colours: number[]; from: number; to: number }; // packed rgb

function channel(colour: number, axis: number): number {
  return (colour >> (16 - 8 * axis)) & 0xff;
}

/** So many colours are kept as they are: the ground, and what is filled with one colour. */
const exact = 48;

/** At most 256 colours that stand for those of the pixels, which are packed rgb. */
export function paletteOf(pixels: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || a - b);
  return [...colours.slice(0, exact), ...cutAtMedians(colours.slice(exact), 256 - exact, counts)];
}

function cutAtMedians(colours: number[], most: number, counts: Map<number, number>): number[] {
  if (colours.length === 0) return [];
  const boxes: Box[] = [{ colours, from: 0, to: colours.length }];
  const longest = ({ colours: list, from, to }: Box) => {
    let [best, axis] = [-1, 0];
    for (const k of [0, 1, 2]) {
      let [low, high] = [255, 0];
      for (let i = from; i < to; ++i) {
        const x = channel(list[i], k);
        if (x < low) low = x;
        if (x > high) high = x;
      }
      if (high - low > best) [best, axis] = [high - low, k];
    }
    return { length: best, axis };
  };
  while (boxes.length < most) {
    const sizes = boxes.map((box) => (box.to - box.from > 1 ? longest(box) : { length: 0, axis: 0 }));
    const k = sizes.reduce((best, { length }, i) => (length > sizes[best].length ? i : best), 0);
    if (sizes[k].length === 0) break;
    const box = boxes[k];
    const part = box.colours.slice(box.from, box.to).sort((a, b) => channel(a, sizes[k].axis) - channel(b, sizes[k].axis));
    const half = part.length >> 1;
    boxes.splice(k, 1, { colours: part, from: 0, to: half }, { colours: part, from: half, to: part.length });
  }
  // the mean of the pixels of a box
  return boxes.map(({ colours: list, from, to }) => {
    const mean = [0, 1, 2].map((axis) => {
      let [sum, all] = [0, 0];
      for (let i = from; i < to; ++i) {
        const n = counts.get(list[i])!;
        sum += n * channel(list[i], axis);
        all += n;
      }
      return Math.round(sum / all);
    });
    return (mean[0] << 16) | (mean[1] << 8) | mean[2];
  });
}

/** The number of the nearest colour of a palette; found once for each colour. */
export class Nearest {
  private readonly palette: number[];
  private readonly known = new Map<number, number>();

  constructor(palette: number[]) {
    this.palette = palette;
  }

  of(colour: number): number {
    const seen = this.known.get(colour);
    if (seen !== undefined) return seen;
    let best = 0;
    let distance = Infinity;
    this.palette.forEach((p, i) => {
      const d = [0, 1, 2].reduce((sum, axis) => sum + (channel(p, axis) - channel(colour, axis)) ** 2, 0);
      if (d < distance) [best, distance] = [i, d];
    });
    this.known.set(colour, best);
    return best;
  }
}

/** The pixels as GIF compresses them: codes of growing length, of the strings met so far. */
export function lzw(pixels: Uint8Array): Uint8Array<ArrayBuffer> {
  const least = 8;
  const clear = 1 << least;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  let length = least + 1;
  const put = (code: number) => {
    held |= code << bits;
    bits += length;
    while (bits >= 8) {
      bytes.push(held & 0xff);
      held >>>= 8;
      bits -= 8;
    }
  };
  const table = new Map<number, number>(); // of string and next pixel
  let next = clear + 2;
  put(clear);
  let string = pixels[0];
  for (let i = 1; i < pixels.length; ++i) {
    const key = (string << 8) | pixels[i];
    const known = table.get(key);
    if (known !== undefined) {
      string = known;
      continue;
    }
    put(string);
    if (next < 4096) {
      table.set(key, next++);
      if (next > 1 << length && length < 12) ++length;
    } else {
      put(clear);
      table.clear();
      next = clear + 2;
      length = least + 1;
    }
    string = pixels[i];
  }
  put(string);
  put(clear + 1);
  if (bits > 0) bytes.push(held & 0xff);
  return Uint8Array.from(bytes);
}

const u16 = (x: number) => [x & 0xff, (x >> 8) & 0xff];

/** Pictures as numbers of palette colours, each shown for so many hundredths of a second. */
export function toGif(width: number, height: number, palette: number[], pictures: Uint8Array[], hundredths: number): Blob {
  const colours = new Uint8Array(3 * 256);
  palette.forEach((colour, i) => colours.set([0, 1, 2].map((axis) => channel(colour, axis)), 3 * i));
  const parts: BlobPart[] = [
    new Uint8Array([...new TextEncoder().encode('GIF89a'), ...u16(width), ...u16(height), 0xf7, 0, 0]),
    colours,
    new Uint8Array([0x21, 0xff, 11, ...new TextEncoder().encode('NETSCAPE2.0'), 3, 1, 0, 0, 0]),
  ];
  for (const picture of pictures) {
    parts.push(new Uint8Array([0x21, 0xf9, 4, 4, ...u16(hundredths), 0, 0, 0x2c, 0, 0, 0, 0, ...u16(width), ...u16(height), 0, 8]));
    const data = lzw(picture);
    for (let at = 0; at < data.length; at += 255) {
      const part = data.subarray(at, at + 255);
      parts.push(new Uint8Array([part.length]), part);
    }
    parts.push(new Uint8Array([0]));
  }
  parts.push(new Uint8Array([0x3b]));
  return new Blob(parts, { type: 'image/gif' });
}
