import { isSweepingScene, type Certificate, type Finding, type Head, type Report } from './data';
import { count, counted, element, number, section, table, withUnit } from './text';

const endings: Record<string, string> = {
  duration: 'It ran for its full duration.',
  rest: 'It ended when everything had come to rest.',
  formula: 'It ended when the formula of the scene became zero or more.',
  interrupted: 'It was interrupted; the page shows what was computed until then.',
  stopped: 'It was stopped from outside; the page shows what was computed until then.',
  unsolved_step: 'It stopped at a step whose contacts could not be solved to the required tolerance.',
  not_finite: 'It could not go on: a number became infinite or undefined.',
  metric_singular: 'It could not go on: the kinetic energy no longer determines the motion.',
  law_out_of_range: 'It could not go on: the parameters of a contact law left their valid range.',
  undetermined: 'It could not go on: the laws allow no continuation of the motion, or several.',
};

const badges: Record<string, string> = { certified: '✓ certified', uncertified: '△ not certified', failed: '✕ failed' };

/** Why a run is certified, or why it is not. */
function reasonOf({ status, certificate, findings }: Report, sweeping: boolean): string {
  const { steps, unsolved_steps: unsolved } = certificate;
  if (status === 'failed') return 'The run could not be computed to its end.';
  if (status === 'certified' && sweeping) return 'The nearest point of the set was found in every step.';
  if (status === 'certified') return 'Every step was solved to the required tolerance, and the energy balance of every step closes.';
  if (unsolved > 0) return `It is not certified: ${count(unsolved)} of ${counted(steps, 'step')} missed the required tolerance.`;
  return findings.some(({ uncertifies }) => uncertifies) ? 'It is not certified; the findings below say why.' : 'It is not certified: a step missed the required tolerance, or an energy balance did not close.';
}

const unfinished = {
  badge: '… unfinished',
  words: 'The run is still in progress, or was killed: there is no certificate yet.',
};

export function verdictOf({ report, scene }: Head): { status: string; badge: string; words: string } {
  if (!report) return { status: 'unfinished', ...unfinished };
  return { status: report.status, badge: badges[report.status] ?? report.status, words: reasonOf(report, isSweepingScene(scene)) };
}

/** What carom noticed about the run; what costs the certificate is a list of its own. */
function findingList(heading: string, findings: Finding[]): (HTMLElement | null)[] {
  if (findings.length === 0) return [];
  const items = findings.map((finding) => {
    const times = finding.count > 1 ? ` (${count(finding.count)} times)` : '';
    const when = finding.time_s === null ? '' : `${withUnit(finding.time_s, 's')}: `;
    return element('li', {}, `${when}${finding.message}${times}`);
  });
  return [element('h3', {}, heading), element('ul', {}, ...items)];
}

/** What a sweep does not have: percussions and energies. */
function mechanicalRows(certificate: Certificate): string[][] {
  const when = number(certificate.max_residual_time_s);
  return [
    ['Worst residual', number(certificate.max_residual), `unit-free error of a step, measured by code independent of the solver, at ${when} s`],
    ['Deepest overlap', withUnit(certificate.max_penetration_m, 'm'), 'of two parts, at the end of a step'],
    ['Worst cone violation', withUnit(certificate.max_cone_violation_Ns, 'N s'), 'distance of a percussion from the set that its law allows'],
    ['Unexplained energy', withUnit(certificate.energy_balance_J, 'J'), 'remainder of the energy balance of the whole run'],
  ];
}

export function certificateSection(head: Head): HTMLElement {
  const { report } = head;
  const verdict = verdictOf(head);
  const words = element('p', {}, verdict.words, report ? ` ${endings[report.end] ?? ''}` : '');
  if (!report) return section('certificate', 'Certificate', words);

  const { certificate } = report;
  const solved = certificate.unsolved_steps === 0 ? 'all solved' : `${count(certificate.unsolved_steps)} of them not solved`;
  const rows = [['Steps', count(certificate.steps), solved], ...(isSweepingScene(head.scene) ? [] : mechanicalRows(certificate))];
  const [against, besides] = [true, false].map((costs) => report.findings.filter(({ uncertifies = false }) => uncertifies === costs));
  return section(
    'certificate',
    'Certificate',
    words,
    table('How far this run can be trusted', ['', 'value', 'meaning'], rows),
    ...findingList('Why it is not certified', against),
    ...findingList('Findings', besides),
  );
}

const ledgerWords: Record<string, string> = {
  kinetic_J: 'change of kinetic energy',
  potential_J: 'change of potential energy',
  given_forces_J: 'work of the given forces',
  prescribed_motions_J: 'work of moving obstacles and of a potential that changes with time',
  impact_J: 'impacts and contacts',
  friction_J: 'friction',
  non_firm_J: 'brakes, ratchets and other limited forces',
  joint_J: 'joints',
  correction_J: 'moving overlapping parts apart',
  scheme_J: 'the discretisation itself',
};

/** The ledger of the whole run: what the energies changed by, and what made them. */
export function ledgerSection(head: Head): HTMLElement | null {
  const energy = head.report?.certificate.energy;
  if (!energy || isSweepingScene(head.scene)) return null;
  const largest = Math.max(1e-300, ...Object.values(energy).map((x) => Math.abs(x ?? 0)));
  const row = (name: string) => {
    const joules = energy[name];
    const bar = element('span', { class: (joules ?? 0) < 0 ? 'bar loss' : 'bar gain', 'aria-hidden': 'true' });
    bar.style.width = `${(100 * Math.abs(joules ?? 0)) / largest}%`;
    return [ledgerWords[name] ?? name, number(joules), joules ? element('span', { class: 'bars' }, bar) : ''];
  };
  const changes = ['kinetic_J', 'potential_J'];
  const causes = Object.keys(energy).filter((name) => !changes.includes(name) && energy[name] !== 0);
  return section(
    'ledger',
    'Energy balance',
    element('p', {}, 'The first table lists the changes of energy, the second their causes. Both have the same sum, up to rounding.'),
    table('Energies, end minus start', ['', 'J', ''], changes.map(row)),
    table('Causes', ['', 'J', ''], causes.length > 0 ? causes.map(row) : [['nothing', '0', '']]),
  );
}
