/** A button that indexes the pages of a crawl, for a search that found no index. */
import { may, query, read } from './api.js';
import { creation } from './creation.js';
import { el } from './element.js';

/**
 * Null if the key in use does not allow it. The job has the configuration of the newest crawl with that id.
 * @param {(words: string) => void} tell shows what went wrong
 */
export function indexButton(crawlId, { announce, signal, tell }) {
  if (!may('run')) return null;
  const create = creation({ announce, signal });
  const start = async () => {
    button.disabled = true;
    try {
      const { crawls } = await read(`v1/crawls${query({ crawlId, limit: 1 })}`, signal);
      const index = { type: 'INDEX', crawlId, confId: crawls[0]?.confId ?? 'default', args: { batch: '-all' } };
      await create('job/create', index);
    } catch (problem) {
      tell(problem.message);
      button.disabled = false;
    }
  };
  const button = el('button', { type: 'button', onclick: start }, 'Index the pages of this crawl');
  return button;
}
