/** What a button or a form creates: a crawl or a job, one for each time that the user asks for it. */
import { newKey, post } from './api.js';
import { go, viewAddress } from './element.js';

/**
 * Whether a repetition must send the same Idempotency-Key: the job may have been created although no answer says so. A refusal is
 * stored with the key, so after it the same key would get the same refusal.
 */
const isOpen = ({ status, code }) => !(status >= 400 && status < 500) || status === 429 || code === 'REQUEST_RUNNING';

/**
 * Returns a function that posts a request which creates a crawl or a job, and shows what it created. If the user has left the view
 * meanwhile, only a message says so. Throws Problem.
 */
export function creation({ announce, signal }) {
  let [key, words] = ['', ''];
  return async (path, value) => {
    const wordsNow = JSON.stringify([path, value]);
    if (key === '' || words !== wordsNow) [key, words] = [newKey(), wordsNow];
    try {
      const { id, type } = await post(path, value, { headers: { 'Idempotency-Key': key } });
      if (!signal.aborted) go(viewAddress(type === 'CRAWL' ? 'crawl' : 'job', { id }));
      announce(`${id} was started.`);
    } catch (problem) {
      if (!isOpen(problem)) key = '';
      if (signal.aborted) announce(problem.message);
      throw problem;
    }
  };
}
