/** How often a page of `carom view` asks whether the run has gone on. */
const every_ms = 1500;

/**
 * While the run goes on, fetches the page again whenever the recording has grown and hands it on. What the reader has set, the
 * caller keeps: nothing is loaded anew. `grown` says which version is shown now; an empty one: the run has ended.
 */
export function followRun(version: string, grown: (page: Document) => Promise<string>): void {
  if (!location.protocol.startsWith('http') || !version) return;
  const ask = async (): Promise<void> => {
    const began = performance.now();
    try {
      const answer = await fetch('version');
      if (answer.ok && (await answer.text()) !== version) {
        const page = await fetch('.');
        if (page.ok) version = await grown(new DOMParser().parseFromString(await page.text(), 'text/html'));
        if (!version) return;
      }
    } catch {
      // the server has ended: the page stays as it is
      return;
    }
    // a long run takes its time to send and to show: most of the time is the reader's
    setTimeout(ask, Math.max(every_ms, 4 * (performance.now() - began)));
  };
  setTimeout(ask, every_ms);
}
