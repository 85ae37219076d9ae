// A WebM file (Matroska) with one video track: just enough of it for pictures that follow each other.

export type Encoded = { data: Uint8Array<ArrayBuffer>; time_us: number; key: boolean };

type Part = number[] | Uint8Array<ArrayBuffer>;

function bytesOf(parts: Part[]): Uint8Array<ArrayBuffer> {
  const size = parts.reduce((n, part) => n + part.length, 0);
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Length of what follows, eight bytes: large enough for every film. */
function sizeOf(size: number): number[] {
  const bytes = [0x01, 0, 0, 0, 0, 0, 0, 0];
  for (let i = 7, rest = size; i > 0 && rest > 0; --i, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  return bytes;
}

function idOf(id: number): number[] {
  const bytes: number[] = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

function element(id: number, ...parts: Part[]): Uint8Array<ArrayBuffer> {
  const content = bytesOf(parts);
  return bytesOf([idOf(id), sizeOf(content.length), content]);
}

const whole = (id: number, value: number) => element(id, value === 0 ? [0] : idOf(value));
const text = (id: number, value: string) => element(id, [...new TextEncoder().encode(value)]);

function real(id: number, value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value);
  return element(id, bytes);
}

/** `codec`: V_VP8 or V_VP9. The first picture must be a key. */
export function toWebm(codec: string, width: number, height: number, pictures: Encoded[], duration_us: number): Blob {
  const head = element(0x1a45dfa3, whole(0x4286, 1), whole(0x42f7, 1), whole(0x42f2, 4), whole(0x42f3, 8), text(0x4282, 'webm'), whole(0x4287, 4), whole(0x4285, 2));
  const info = element(0x1549a966, whole(0x2ad7b1, 1_000_000), real(0x4489, duration_us / 1000), text(0x4d80, 'carom'), text(0x5741, 'carom'));
  const video = element(0xe0, whole(0xb0, width), whole(0xba, height));
  const track = element(0xae, whole(0xd7, 1), whole(0x73c5, 1), whole(0x83, 1), text(0x86, codec), video);
  const clusters: Uint8Array<ArrayBuffer>[] = [];
  let blocks: Part[] = [];
  let start_ms = 0;
  const close = () => {
    if (blocks.length > 0) clusters.push(element(0x1f43b675, whole(0xe7, start_ms), ...blocks));
    blocks = [];
  };
  for (const { data, time_us, key } of pictures) {
    const ms = Math.round(time_us / 1000);
    // times inside a cluster are short: it ends with the next key, or before they run out
    if (key || ms - start_ms > 30_000) {
      close();
      start_ms = ms;
    }
    const since = ms - start_ms;
    blocks.push(element(0xa3, [0x81, (since >> 8) & 0xff, since & 0xff, key ? 0x80 : 0], data));
  }
  close();
  const segment = bytesOf([info, element(0x1654ae6b, track), ...clusters]);
  return new Blob([head, bytesOf([idOf(0x18538067), sizeOf(segment.length)]), segment], { type: 'video/webm' });
}
