import { setTimeout as sleep } from 'node:timers/promises';
import type { PageDto } from '../../clients/typescript/src/generated/schemas.js';
import { type Orbweaver, OrbweaverProblem } from '../../clients/typescript/src/orbweaver.js';

const AT_ONCE = 8;
/** For how long a request is repeated while the server is busy. */
const PATIENCE_MS = 60_000;

/** Pages in their order, each with `text`: the text that PARSE extracted; null if there is none. */
export async function* withTexts(
  client: Orbweaver,
  crawlId: string,
  pages: AsyncIterable<PageDto>,
): AsyncGenerator<PageDto & { text: string | null }> {
  const pending: Promise<PageDto & { text: string | null }>[] = [];
  for await (const page of pages) {
    const whole = storedText(client, crawlId, page).then((text) => ({ ...page, text }));
    // Its rejection is handled when it is awaited.
    whole.catch(() => undefined);
    pending.push(whole);
    if (pending.length >= AT_ONCE) yield await (pending.shift() as (typeof pending)[0]);
  }
  for (const page of pending) yield await page;
}

async function storedText(client: Orbweaver, crawlId: string, { url, parseStatus }: PageDto): Promise<string | null> {
  if (parseStatus === null) return null;
  try {
    return await whenNotBusy(() => client.page.text(url, { crawlId }));
  } catch (error) {
    if (error instanceof OrbweaverProblem && error.status === 404) return null;
    throw error;
  }
}

async function whenNotBusy<T>(ask: () => Promise<T>): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const busy = error instanceof OrbweaverProblem && [429, 503].includes(error.status);
      const pauseMs = busy ? (error.retryAfter ?? 1) * 1_000 : Infinity;
      if (performance.now() + pauseMs > until) throw error;
      await sleep(pauseMs);
    }
  }
}
