/** How the reader has set the controls of a page, to set those of its successor in the same way. */
export type KeptControls = { values: [string, string][]; pressed: string[]; open: string[]; focused: string };

/** A control is known by what it is called; the time has ways of its own. */
const nameOf = (node: Element): string => node.getAttribute('aria-label') ?? node.textContent ?? '';
const skipped = new Set(['Instant of the run', 'Speed of the playback']);

function each<T extends Element>(page: ParentNode, selector: string): T[] {
  return [...page.querySelectorAll<T>(selector)].filter((node) => !skipped.has(nameOf(node)));
}

export function keepControls(page: ParentNode): KeptControls {
  const focused = document.activeElement;
  return {
    values: each<HTMLSelectElement | HTMLInputElement>(page, 'select, input').map((node) => [nameOf(node), node.value]),
    pressed: each(page, 'button[aria-pressed=true]').map(nameOf),
    open: each<HTMLDetailsElement>(page, 'details').flatMap((node) => (node.open ? [nameOf(node.querySelector('summary') ?? node)] : [])),
    focused: focused && page.contains(focused) ? nameOf(focused) : '',
  };
}

/** What the new page has under the same name gets the value that the old one had, as if the reader had chosen it. */
export function restoreControls(page: ParentNode, kept: KeptControls): void {
  const values = new Map(kept.values);
  for (const node of each<HTMLSelectElement | HTMLInputElement>(page, 'select, input')) {
    const value = values.get(nameOf(node));
    if (value === undefined || value === node.value) continue;
    if (node instanceof HTMLSelectElement && ![...node.options].some((option) => option.value === value)) continue;
    node.value = value;
    node.dispatchEvent(new Event(node instanceof HTMLInputElement && node.type === 'range' ? 'input' : 'change'));
  }
  const pressed = new Set(kept.pressed);
  for (const node of each<HTMLButtonElement>(page, 'button[aria-pressed]')) {
    if ((node.getAttribute('aria-pressed') === 'true') !== pressed.has(nameOf(node))) node.click();
  }
  const open = new Set(kept.open);
  for (const node of each<HTMLDetailsElement>(page, 'details')) node.open = open.has(nameOf(node.querySelector('summary') ?? node));
  if (kept.focused) each<HTMLElement>(page, 'button, select, input, summary, [tabindex]').find((node) => nameOf(node) === kept.focused)?.focus({ preventScroll: true });
}
