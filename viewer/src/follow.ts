/** How often a page of `carom view` asks whether the run has gone on. */
const every_ms = 1500;

/**
 * While the run goes on, asks for what has come since and hands it on: only the new part, unless the page has to be sent anew. `has`
 * says what the page has; `grown` what it has then; empty: the run has ended.
 */
export function followRun(has: string, grown: (answer: Document) => Promise<string>): void {
  if (!location.protocol.startsWith('http') || !has) return;
  const ask = async (): Promise<void> => {
    const began = performance.now();
    try {
      const answer = await fetch(`more?${has}`);
      if (answer.status === 200) has = await grown(new DOMParser().parseFromString(await answer.text(), 'text/html'));
      if (!has) return;
    } catch {
      // the server has ended: the page stays as it is
      return;
    }
    // a long run takes its time to send and to show: most of the time is the reader's
    setTimeout(ask, Math.max(every_ms, 4 * (performance.now() - began)));
  };
  setTimeout(ask, every_ms);
}
