import type { Palette } from './data';

/** The palette that carom sent, and what follows from a light or dark ground. */
export class Colours {
  private readonly palette: Palette;
  private readonly watchers: (() => void)[] = [];
  private readonly media = window.matchMedia('(prefers-color-scheme: dark)');

  /** `ground`: what the reader is not asked about, for films. */
  constructor(palette: Palette, private given?: 'light' | 'dark') {
    this.palette = palette;
  }

  /** Paper is white, whatever the screen is. */
  set shownOn(value: 'light' | 'dark' | undefined) {
    if (value === this.given) return;
    this.given = value;
    for (const act of this.watchers) act();
  }

  get dark(): boolean {
    return this.given ? this.given === 'dark' : this.media.matches;
  }

  /** Arrows of forces: from contacts, weight, joints, loads, and what they sum to. */
  force(kind: 'contact' | 'weight' | 'joint' | 'load' | 'constraint' | 'sum'): string {
    const names = { contact: '', weight: 'green', joint: 'pink', load: 'orange', constraint: 'blue', sum: 'vermilion' };
    return kind === 'contact' ? this.text : this.named(names[kind]);
  }

  /** What connects bodies: springs have the colour of the forces that they are in free-body diagrams. */
  link(kind: 'joint' | 'spring' | 'motor'): string {
    return kind === 'motor' ? this.named('vermilion') : this.force(kind === 'spring' ? 'load' : 'joint');
  }

  onChange(act: () => void): void {
    this.watchers.push(act);
    this.media.addEventListener('change', act);
  }

  /** The i-th line of a panel: thin, so the pale yellow is darker on a light ground. */
  line(i: number): string {
    const { colours, lines } = this.palette;
    const { name, value } = colours[i % lines];
    return name === 'yellow' && !this.dark ? '#a08f00' : this.onGround(value);
  }

  named(name: string): string {
    const found = this.palette.colours.find((colour) => colour.name === name);
    return found ? this.onGround(found.value) : this.text;
  }

  /** On a dark ground the two blues, open and sticking, are told apart by lightness too. */
  status(name: string): string {
    if (this.dark && name === 'open') return '#b5def7';
    if (this.dark && name === 'stick') return '#2f80d0';
    return this.onGround(this.palette.status[name] ?? '#888888');
  }

  get text(): string {
    return this.dark ? '#e6e6e6' : '#222222';
  }
  get grid(): string {
    return this.dark ? '#30363d' : '#e3e3e3';
  }
  get ground(): string {
    return this.dark ? '#14181d' : '#ffffff';
  }

  /** Black lines are for white paper; on a dark ground they are white, and the dark blue is lifted. */
  private onGround(colour: string): string {
    if (!this.dark) return colour;
    if (colour.toLowerCase() === '#000000') return '#f2f2f2';
    return colour.toLowerCase() === '#0072b2' ? '#3d9bdc' : colour;
  }
}
