import type { Run } from './data';
import { lastNotAfter } from './timeline';

export type Status = 'open' | 'closed' | 'impact' | 'stick' | 'slip';

export const statusWords: Record<Status, string> = {
  open: 'open',
  closed: 'closed',
  impact: 'impact',
  stick: 'sticks',
  slip: 'slips',
};

/** What a contact does after an event. Impacts that accumulate leave it closed. */
const afterEvent: Record<string, Status> = { contact_made: 'closed', contact_lost: 'open', accumulation: 'closed', stick: 'stick', slip: 'slip' };

type Change = { time: number[]; status: Status[] };
type Strokes = { time: number[]; percussion: number[] };

/** What each contact does at an instant, from the events of the run. */
export class Statuses {
  private readonly changes: Change[];
  private readonly strokes: Strokes[];
  readonly largest: number; // percussion of the hardest impact, N s
  readonly seen = new Set<Status>(['open', 'closed', 'impact']);

  constructor(run: Run) {
    const { contacts, event_kinds } = run.head;
    const time = run.track('events.time_s');
    const kind = run.track('events.kind');
    const contact = run.track('events.contact');
    const percussion = run.track('events.percussion_Ns');
    const gaps = run.columns('gap_m', contacts.length);
    this.changes = contacts.map((_, c) => ({
      time: [-Infinity],
      status: [startsClosed(c, kind, contact, event_kinds, gaps[c]) ? 'closed' : 'open'],
    }));
    this.strokes = contacts.map(() => ({ time: [], percussion: [] }));
    let largest = 0;
    for (let i = 0; i < time.length; ++i) {
      const name = event_kinds[kind[i]];
      const change = this.changes[contact[i]];
      if (!change) continue;
      if (name === 'impact') {
        this.strokes[contact[i]].time.push(time[i]);
        this.strokes[contact[i]].percussion.push(percussion[i]);
        largest = Math.max(largest, Math.abs(percussion[i]));
      } else {
        change.time.push(time[i]);
        const status = afterEvent[name] ?? 'closed';
        change.status.push(status);
        this.seen.add(status);
      }
    }
    this.largest = largest;
  }

  /** `glow_s`: how long an impact, which takes no time, is shown. */
  status(contact: number, t: number, glow_s: number): Status {
    if (this.stroke(contact, t, glow_s) !== null) return 'impact';
    const change = this.changes[contact];
    return change.status[lastNotAfter(change.time, t)];
  }

  /** The impact that is being shown: its normal percussion, and when it was. */
  stroke(contact: number, t: number, glow_s: number): { percussion: number; time: number } | null {
    const { time, percussion } = this.strokes[contact];
    if (time.length === 0) return null;
    const i = lastNotAfter(time, t);
    const age = t - time[i];
    return age >= 0 && age < glow_s ? { percussion: percussion[i], time: time[i] } : null;
  }
}

/** A contact that is lost, sticks or slips before it was made was closed from the start; so was one that never changes and touches. */
function startsClosed(
  c: number,
  kind: Float64Array,
  contact: Float64Array,
  kinds: string[],
  gap: Float64Array | undefined,
): boolean {
  for (let i = 0; i < kind.length; ++i) {
    if (contact[i] !== c) continue;
    return ['contact_lost', 'stick', 'slip'].includes(kinds[kind[i]]);
  }
  return gap !== undefined && gap.length > 0 && gap.every((g) => g < 1e-6);
}
