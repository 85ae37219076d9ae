// Numbers and elements as people read them. Text from the run only ever goes in as text, never as HTML.

const raised: Record<string, string> = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** A line must not break inside a number, nor between it and its unit. */
const noBreak = '\u00a0';
const wordJoiner = '\u2060';

/** Four digits that count; powers of ten where they save zeros: 4.838·10⁻¹⁶. All numbers of the page are written by this. */
export function number(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const short = Number(x.toPrecision(digits));
  if (size >= 1e-3 && size < 1e5) return String(short).replace('-', '−');
  const [mantissa, power] = short.toExponential().replace('+', '').split('e');
  const ten = ['10', ...[...power].map((c) => raised[c])].join(wordJoiner);
  const factor = mantissa.replace('-', '−');
  return factor === '1' ? ten : factor === '−1' ? `−${ten}` : `${factor}${wordJoiner}·${wordJoiner}${ten}`;
}

export function withUnit(x: number | null | undefined, unit: string): string {
  return unit ? `${number(x)}${noBreak}${unit.replaceAll(' ', noBreak)}` : number(x);
}

export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f');
}

/** The font of the page, for canvases. */
export function pageFont(pixels: number): string {
  return `${pixels}px ${getComputedStyle(document.documentElement).fontFamily || 'sans-serif'}`;
}

type Child = Node | string | null | undefined;

/** An element with attributes and children; strings become text. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/** The name that is read out holds the words that are seen, so that both kinds of readers speak of the same button. */
export function button(label: string, title: string, act: () => void): HTMLButtonElement {
  const known = !/[\p{L}\p{N}]/u.test(label) || title.toLowerCase().includes(label.toLowerCase());
  const node = element('button', { type: 'button', title, 'aria-label': known ? title : `${label}: ${title}` }, label);
  node.addEventListener('click', act);
  return node;
}

/** A choice made by pointer gives the focus back, so that the keys of the page go on working; one made by keys keeps it. */
export function releaseAfterPointer(select: HTMLSelectElement): void {
  let byPointer = false;
  select.addEventListener('pointerdown', () => (byPointer = true));
  select.addEventListener('keydown', () => (byPointer = false));
  select.addEventListener('change', () => {
    if (byPointer) select.blur();
  });
}

/** The first row of a table; what stands above a column of names is heard, not seen. */
export function headings(...texts: string[]): HTMLElement {
  const cells = texts.map((text) => element('th', { scope: 'col' }, text || element('span', { class: 'heard' }, 'name')));
  return element('thead', {}, element('tr', {}, ...cells));
}

/** A section with its heading; `id` is also where links lead. */
export function section(id: string, heading: string, ...children: Child[]): HTMLElement {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-heading` },
    element('h2', { id: `${id}-heading` }, heading),
    ...children,
  );
}

export function table(caption: string, titles: string[], rows: Child[][]): HTMLTableElement {
  return element(
    'table',
    {},
    element('caption', {}, caption),
    headings(...titles),
    element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map((cell) => element('td', {}, cell))))),
  );
}

/** Lists of more names than these are slow to open and to read: the name is typed instead. */
const maxListed = 1000;

/** A choice among names by number: a list, or for very many a field to type the name into. `none`: the entry that chooses none. */
export class NameChoice {
  readonly element: HTMLSelectElement | HTMLInputElement;
  private readonly names: Map<number, string>;

  constructor(label: string, names: [number, string][], act: (number: number) => void, none = '') {
    this.names = new Map(names);
    if (names.length <= maxListed) {
      const select = element('select', { 'aria-label': label });
      if (none) select.append(new Option(none, ''));
      for (const [number, name] of names) select.append(new Option(name, String(number)));
      select.addEventListener('change', () => act(select.value === '' ? -1 : Number(select.value)));
      releaseAfterPointer(select);
      this.element = select;
      return;
    }
    const input = element('input', { type: 'text', 'aria-label': label, size: '14', placeholder: none || names[0][1], spellcheck: 'false', autocomplete: 'off' });
    const byName = new Map(names.map(([number, name]) => [name, number]));
    input.addEventListener('change', () => {
      const number = input.value.trim() === '' && none ? -1 : byName.get(input.value.trim());
      input.setCustomValidity(number === undefined ? `There is no ${input.value.trim()}; the names are ${names[0][1]} to ${names[names.length - 1][1]}.` : '');
      input.reportValidity();
      if (number !== undefined) act(number);
    });
    this.element = input;
  }

  show(number: number): void {
    if (this.element instanceof HTMLSelectElement) this.element.value = this.names.has(number) ? String(number) : '';
    else this.element.value = this.names.get(number) ?? '';
  }
}

/** A round number not above x. */
export function roundBelow(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([5, 2, 1].find((k) => k * power <= x) ?? 1);
}
