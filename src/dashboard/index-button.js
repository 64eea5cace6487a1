/** A button that indexes the pages of a crawl, for a search that found no index. */
import { may, newKey, post, query, read } from './api.js';
import { el, go, viewAddress } from './element.js';

/**
 * Null if the key in use does not allow it. The job has the configuration of the newest crawl with that id.
 * @param {(words: string) => void} tell shows what went wrong
 */
export function indexButton(crawlId, { signal, tell }) {
  if (!may('run')) return null;
  const attempt = newKey();
  const start = async () => {
    button.disabled = true;
    try {
      const { crawls } = await read(`v1/crawls${query({ crawlId, limit: 1 })}`, signal);
      const index = { type: 'INDEX', crawlId, confId: crawls[0]?.confId ?? 'default', args: { batch: '-all' } };
      const { id } = await post('job/create', index, { headers: { 'Idempotency-Key': attempt } });
      go(viewAddress('job', { id }));
    } catch (problem) {
      tell(problem.message);
      button.disabled = false;
    }
  };
  const button = el('button', { type: 'button', onclick: start }, 'Index the pages of this crawl');
  return button;
}
