import type { Colours } from './colours';
import { colourWords, forceWords, rampColour, rampStops, type ColourBy, type ForceLook } from './looks';
import { presets, type Picture, type Stage } from './picture';
import { statusWords, type Status } from './statuses';
import { button, element, number, releaseAfterPointer, withUnit } from './text';

/** A button that is on or off. */
function toggle(label: string, title: string, on: boolean, act: (on: boolean) => void): HTMLButtonElement {
  const node = button(label, title, () => {
    const next = node.getAttribute('aria-pressed') !== 'true';
    node.setAttribute('aria-pressed', String(next));
    act(next);
  });
  node.setAttribute('aria-pressed', String(on));
  return node;
}

function choice<T extends string>(label: string, words: [T, string][], chosen: T, act: (value: T) => void): { element: HTMLElement; select: HTMLSelectElement } {
  const select = element('select', { 'aria-label': label });
  for (const [value, text] of words) select.append(new Option(text, value, value === chosen, value === chosen));
  select.addEventListener('change', () => act(select.value as T));
  releaseAfterPointer(select);
  return { element: element('label', {}, `${label} `, select), select };
}

const linkWords = { joint: 'joints', spring: 'springs', motor: 'motors' };

type LookToggle = 'transparent' | 'ghost' | 'traces';
const lookToggles: [LookToggle, string, string][] = [
  ['transparent', 'Transparent', 'Make bodies transparent'],
  ['ghost', 'Ghost', 'Also show the bodies at the start of the run'],
  ['traces', 'Traces', 'Show the paths of the bodies; if there are many, pick one'],
];

/** The tools below the stage: where the eye is, what is shown of bodies, and what arrows and colours mean. */
export class ViewTools {
  readonly element: HTMLElement;
  readonly key = element('p', { class: 'legend key-of-forces' });
  private readonly picture: Picture;
  private readonly stage: Stage;
  private readonly colours: Colours;
  private readonly redraw: () => void;
  private readonly selects: HTMLSelectElement[] = []; // forces, colour
  private readonly measured = element('output', { class: 'hint measured' });
  private readonly toggles = new Map<LookToggle, HTMLButtonElement>();
  private cutChoice: HTMLSelectElement | null = null;
  private cutSlider: HTMLInputElement | null = null;
  private measuring = false;
  private lastKey = '';

  constructor(picture: Picture, stage: Stage, colours: Colours, redraw: () => void) {
    this.picture = picture;
    this.stage = stage;
    this.colours = colours;
    this.redraw = redraw;
    const fold = element('details', {}, element('summary', {}, 'View'), this.viewRow(), picture.solids ? this.bodyRow() : null);
    fold.open = window.innerWidth > 700;
    this.element = element('div', {}, fold, this.measured);
  }

  private viewRow(): HTMLElement {
    const { stage, picture } = this;
    const { spatial } = picture;
    const turn = spatial ? [button('↺', 'Turn left', () => stage.turn(0.3, 0)), button('↻', 'Turn right', () => stage.turn(-0.3, 0))] : [];
    return element(
      'div',
      { class: 'tools', role: 'group', 'aria-label': 'View' },
      button('+', 'Closer', () => stage.zoom(1.25)),
      button('−', 'Farther', () => stage.zoom(0.8)),
      button('Fit', 'Fit the view', () => stage.fit()),
      ...turn,
      spatial ? this.presetChoice() : null,
      toggle('Follow', 'Keep what moves in view; double-click a body to follow it', false, (on) => stage.follow(on)),
      ...this.savedViews(),
      toggle('Measure', 'Click two points of the picture for their distance, three for an angle', false, (on) => this.measure(on)),
      element('span', { class: 'hint' }, `Drag to ${spatial ? 'orbit' : 'move'}, wheel or pinch to zoom, double-click to centre.`),
    );
  }

  private presetChoice(): HTMLElement {
    const words: [string, string][] = [['', 'view from …'], ...Object.keys(presets).map((name): [string, string] => [name, name])];
    const { element: label, select } = choice('Look', words, '', (name) => {
      const preset = presets[name];
      if (preset) this.stage.lookFrom(...preset);
      select.value = '';
    });
    return label;
  }

  /** Two places to keep a view in, as long as the page is open. */
  private savedViews(): HTMLElement[] {
    const { looks } = this.picture;
    return [0, 1].flatMap((k) => {
      const go = button(`View ${k + 1}`, `Go to saved view ${k + 1}`, () => looks.savedViews[k] && this.stage.look(looks.savedViews[k]));
      const keep = button(`Save ${k + 1}`, `Save this view as ${k + 1}`, () => (looks.savedViews[k] = this.stage.view()));
      return [keep, go];
    });
  }

  private bodyRow(): HTMLElement {
    const { looks, contacts, spatial } = this.picture;
    const change = (act: () => void) => {
      act();
      this.redraw();
    };
    const forces = contacts.most > 0;
    const force = choice<ForceLook>('Forces', Object.entries(forceWords) as [ForceLook, string][], looks.forces, (value) => change(() => (looks.forces = value)));
    const recorded = (name: ColourBy) => (name === 'residual' ? this.picture.contacts.residual.some((x) => x > 0) : forces || (name !== 'force' && name !== 'status'));
    const by = (Object.keys(colourWords) as ColourBy[]).filter(recorded);
    const colour = choice<ColourBy>('Colour by', by.map((name): [ColourBy, string] => [name, colourWords[name]]), looks.colourBy, (value) => change(() => (looks.colourBy = value)));
    this.selects.push(force.select, colour.select);
    return element(
      'div',
      { class: 'tools', role: 'group', 'aria-label': 'Bodies' },
      forces ? force.element : null,
      forces ? button('Longer', 'Longer arrows, thicker chains', () => change(() => (looks.arrowScale *= 1.5))) : null,
      forces ? button('Shorter', 'Shorter arrows, thinner chains', () => change(() => (looks.arrowScale /= 1.5))) : null,
      colour.element,
      ...lookToggles.map(([name, label, title]) => {
        const node = toggle(label, title, looks[name], (on) => change(() => (looks[name] = on)));
        this.toggles.set(name, node);
        return node;
      }),
      ...(spatial ? this.cutTools(change) : []),
    );
  }

  /** Chooses from the lists, as a reader would. */
  choose(...values: (string | undefined)[]): void {
    this.selects.forEach((select, i) => {
      if (![...select.options].some(({ value }) => value === values[i])) return;
      select.value = values[i]!;
      select.dispatchEvent(new Event('change'));
    });
  }

  /** What is switched on, for an address: transparent,ghost,traces and cut=x,0.5 and scale=1.5 */
  get words(): Record<string, string> {
    const { looks } = this.picture;
    const on = lookToggles.filter(([name]) => looks[name]).map(([name]) => name);
    return {
      ...(on.length > 0 ? { with: on.join(',') } : {}),
      ...(looks.cut ? { cut: `${'xyz'[looks.cut.axis]},${looks.cut.part}` } : {}),
      ...(looks.arrowScale !== 1 ? { scale: String(Number(looks.arrowScale.toPrecision(4))) } : {}),
    };
  }

  /** Switches on what an address names; what it does not have stays. */
  switchOn(words: URLSearchParams): void {
    const { looks } = this.picture;
    for (const name of (words.get('with') ?? '').split(',')) {
      const node = this.toggles.get(name as LookToggle);
      if (node?.getAttribute('aria-pressed') === 'false') node.click();
    }
    const [axis, part] = (words.get('cut') ?? '').split(',');
    if (this.cutChoice && this.cutSlider && axis && 'xyz'.includes(axis)) {
      this.cutChoice.value = String('xyz'.indexOf(axis));
      this.cutChoice.dispatchEvent(new Event('change'));
      if (part) this.cutSlider.value = part;
      this.cutSlider.dispatchEvent(new Event('input'));
    }
    const scale = Number(words.get('scale'));
    if (scale > 0 && Number.isFinite(scale)) looks.arrowScale = scale;
  }

  private cutTools(change: (act: () => void) => void): HTMLElement[] {
    const { looks } = this.picture;
    const slider = element('input', { type: 'range', min: '0', max: '1', step: '0.01', value: '1', 'aria-label': 'Position of the cut', hidden: '' });
    const { element: label, select } = choice('Cut', [['', 'nothing'], ['0', 'across x'], ['1', 'across y'], ['2', 'across z']], '', (value) =>
      change(() => {
        slider.hidden = value === '';
        slider.value = '0.5';
        looks.cut = value === '' ? null : { axis: Number(value) as 0 | 1 | 2, part: 0.5 };
      }),
    );
    slider.addEventListener('input', () => change(() => looks.cut && (looks.cut.part = Number(slider.value))));
    this.cutChoice = select;
    this.cutSlider = slider;
    return [label, slider];
  }

  private measure(on: boolean): void {
    this.measuring = on;
    this.picture.looks.measured = [];
    this.redraw();
    this.measured.textContent = on ? 'Click two points of the picture.' : '';
  }

  /** A press on the stage; true when it was for measuring. */
  press(clientX: number, clientY: number): boolean {
    if (!this.measuring) return false;
    const point = this.stage.pointAt(clientX, clientY);
    if (!point) return true;
    const { looks } = this.picture;
    looks.measured = looks.measured.length === 3 ? [point] : [...looks.measured, point];
    this.measured.textContent = this.measuredWords();
    this.redraw();
    return true;
  }

  private measuredWords(): string {
    const [a, b, c] = this.picture.looks.measured;
    if (!b) return 'Click a second point.';
    const way = b.map((x, i) => x - a[i]);
    const distance = `Distance ${withUnit(Math.hypot(...way), this.picture.unit)} (${way.slice(0, this.picture.spatial ? 3 : 2).map((x) => number(x)).join(', ')})`;
    if (!c) return `${distance}. A third point gives the angle at the second.`;
    const [u, v] = [a.map((x, i) => x - b[i]), c.map((x, i) => x - b[i])];
    const cosine = u.reduce((sum, x, i) => sum + x * v[i], 0) / (Math.hypot(...u) * Math.hypot(...v));
    return `${distance}; angle at the second point ${number((Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI)}°.`;
  }

  /** What arrows and colours stand for now; the arrow of the key is as long as one of that force is drawn. */
  showKey(t: number): void {
    const { looks, forces, bodyColours, solids, links } = this.picture;
    if (!solids && !this.stage.square) return;
    const parts: (Node | string)[] = [];
    const { newton, pixels, cut } = forces?.key(t, looks, this.stage.pixelsPerMetre) ?? { newton: 0, pixels: 0, cut: false };
    const couple = looks.pickedBody >= 0 && forces ? withUnit(forces.largestCouple(looks.pickedBody, t), 'N m') : '';
    const kinds = looks.pickedBody >= 0 && forces ? forces.kindsOn(looks.pickedBody, t) : new Set<string>();
    const words = `${cut} ${[...kinds].join()} ${looks.forces} ${looks.colourBy} ${looks.pickedBody} ${newton} ${Math.round(pixels)} ${this.colours.dark} ${couple}`;
    if (words === this.lastKey) return;
    this.lastKey = words;
    if (newton > 0) {
      const arrow = element('span', { class: 'arrow-key', 'aria-hidden': 'true' });
      arrow.style.width = `${pixels}px`;
      parts.push(element('span', { class: 'key' }, arrow, ` force of ${withUnit(newton, 'N')} at the centre of the picture${looks.pickedBody >= 0 ? '' : ', on both bodies'}${cut ? '; arrows of larger forces are cut short' : ''}`));
    }
    if (looks.forces === 'chains' && looks.pickedBody < 0 && forces) parts.push(element('span', { class: 'key' }, `chains: thickness grows with the square root of the force; 95 % are below ${withUnit(forces.contacts.typical, 'N')}`));
    if (looks.pickedBody >= 0) parts.push(...(['weight', 'joint', 'load', 'constraint', 'sum'] as const).filter((kind) => kind === 'sum' || kinds.has(kind)).map((kind) => this.swatch(this.colours.force(kind), kind === 'sum' ? 'm a' : kind)), ...(couple && !couple.startsWith('0') ? [element('span', { class: 'key' }, `arcs: couples, largest ${couple}`)] : []));
    if (bodyColours && (looks.colourBy === 'speed' || looks.colourBy === 'force')) parts.push(this.ramp(withUnit(bodyColours.top(looks.colourBy), looks.colourBy === 'speed' ? 'm/s' : 'N')));
    if (bodyColours?.residuals && looks.colourBy === 'residual') {
      const [low, high] = bodyColours.residuals.map((power) => number(10 ** power));
      parts.push(this.ramp(high, low), element('span', { class: 'key' }, 'largest share of a contact of the body in the residual of the step'));
    }
    if (bodyColours && looks.colourBy === 'material') parts.push(...bodyColours.materials.map((name, i) => this.swatch(this.colours.line(i), name || 'no name')));
    if (looks.colourBy === 'status') parts.push(...(['open', 'closed', 'stick', 'slip', 'impact'] as Status[]).map((status) => this.swatch(this.colours.status(status), statusWords[status])));
    if (this.stage.square) parts.push(element('span', { class: 'key' }, `squares of the grid: ${withUnit(this.stage.square, 'm')}`));
    for (const kind of links?.kinds ?? []) parts.push(this.swatch(this.colours.link(kind), linkWords[kind]));
    this.key.replaceChildren(...parts);
  }

  private ramp(top: string, bottom = '0'): HTMLElement {
    const bar = element('span', { class: 'ramp', 'aria-hidden': 'true' });
    bar.style.background = `linear-gradient(to right, ${rampStops.map(rampColour).join(', ')})`;
    return element('span', { class: 'key' }, `${bottom} `, bar, ` ${top}${this.picture.looks.colourBy === 'force' ? ' and more' : ''}`);
  }

  private swatch(colour: string, word: string): HTMLElement {
    const swatch = element('span', { class: 'swatch', 'aria-hidden': 'true' });
    swatch.style.background = colour;
    return element('span', { class: 'key' }, swatch, word);
  }
}
