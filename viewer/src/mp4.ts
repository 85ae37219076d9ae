// An MP4 file (ISO base media) with one video track.

import type { Encoded } from './webm';

type Part = number[] | Uint8Array<ArrayBuffer>;

const u16 = (x: number) => [(x >> 8) & 0xff, x & 0xff];
const u32 = (x: number) => [(x >>> 24) & 0xff, (x >>> 16) & 0xff, (x >>> 8) & 0xff, x & 0xff];
const word = (text: string) => [...new TextEncoder().encode(text)];
const zeros = (n: number) => new Array<number>(n).fill(0);
const unity = [...u32(0x10000), ...zeros(12), ...u32(0x10000), ...zeros(12), ...u32(0x40000000)];

function box(type: string, ...parts: Part[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((n, part) => n + part.length, 8);
  const all = new Uint8Array(size);
  all.set([...u32(size), ...word(type)]);
  let at = 8;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A box with version 0 and flags. */
const full = (type: string, flags: number, ...parts: Part[]) => box(type, u32(flags), ...parts);

export type Codec = { name: 'avc1' | 'vp09' | 'av01'; config: Uint8Array<ArrayBuffer> };

const configBox = { avc1: 'avcC', vp09: 'vpcC', av01: 'av1C' } as const;

/** Pictures `step` ticks apart, of which `rate` are a second. */
export function toMp4(codec: Codec, width: number, height: number, pictures: Encoded[], rate: number, step: number): Blob {
  const n = pictures.length;
  const duration = u32(n * step);
  const config = codec.name === 'vp09' ? full('vpcC', 0x01000000, codec.config) : box(configBox[codec.name], codec.config);
  const entry = box(codec.name, zeros(6), u16(1), zeros(16), u16(width), u16(height), u32(0x480000), u32(0x480000), u32(0), u16(1), zeros(32), u16(24), u16(0xffff), config);
  const keys = pictures.flatMap(({ key }, i) => (key ? u32(i + 1) : []));
  const type = box('ftyp', word('isom'), u32(512), word('isomiso2mp41'));
  const moov = (first: number) => {
    const table = box(
      'stbl',
      full('stsd', 0, u32(1), entry),
      full('stts', 0, u32(1), u32(n), u32(step)),
      full('stss', 0, u32(keys.length / 4), keys),
      full('stsc', 0, u32(1), u32(1), u32(n), u32(1)),
      full('stsz', 0, u32(0), u32(n), pictures.flatMap(({ data }) => u32(data.length))),
      full('stco', 0, u32(1), u32(first)),
    );
    const media = box(
      'mdia',
      full('mdhd', 0, zeros(8), u32(rate), duration, u16(0x55c4), u16(0)),
      full('hdlr', 0, zeros(4), word('vide'), zeros(12), [0]),
      box('minf', full('vmhd', 1, zeros(8)), box('dinf', full('dref', 0, u32(1), full('url ', 1))), table),
    );
    const track = box('trak', full('tkhd', 3, zeros(8), u32(1), u32(0), duration, zeros(8), zeros(8), unity, u32(width << 16), u32(height << 16)), media);
    return box('moov', full('mvhd', 0, zeros(8), u32(rate), duration, u32(0x10000), u16(0x100), zeros(10), unity, zeros(24), u32(2)), track);
  };
  const first = type.length + moov(0).length + 8;
  const size = pictures.reduce((sum, { data }) => sum + data.length, 8);
  return new Blob([type, moov(first), new Uint8Array([...u32(size), ...word('mdat')]), ...pictures.map(({ data }) => data)], { type: 'video/mp4' });
}
