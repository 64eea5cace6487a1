/** What can be done about a failed job: the advice of the server, a form to follow it, and "Run again". */
import { may, path } from './api.js';
import { creation } from './creation.js';
import { el, foreign, viewAddress } from './element.js';
import { propertyForm } from './property-form.js';

/** Codes for which the view links to "Why?". */
const asksWhy = ['SEEDS_REFUSED', 'ROBOTS_DENIED', 'NOTHING_FETCHED', 'NOTHING_DUE'];

/**
 * The cure of a job, with a function that updates it.
 * @returns {{ node: HTMLElement, update: (job: object) => void }}
 */
export function cureOf(first, { announce, signal }) {
  const node = el('div');
  let shown = '';
  const update = (job) => {
    const code = job.cure?.code ?? '';
    if (code === shown) return;
    shown = code;
    node.replaceChildren(...(job.cure ? [cureView(job, { announce, signal })] : []));
  };
  update(first);
  return { node, update };
}

function cureView(job, { announce, signal }) {
  const { cure, crawlId, confId } = job;
  return el(
    'section',
    { class: 'note cure', 'aria-labelledby': 'cure' },
    el('h2', { id: 'cure' }, 'What can be done'),
    el('p', {}, foreign(cure.message)),
    cure.property && may('run') ? propertyForm(confId, cure.property, { signal }) : null,
    el(
      'p',
      { class: 'row' },
      againButton(job, { announce, signal }),
      asksWhy.includes(cure.code) && may('read')
        ? el('a', { href: viewAddress('why', { crawlId, confId }) }, 'Why was a URL (not) fetched?')
        : null,
    ),
  );
}

/** Null if it would not help, or is not allowed. For a step of a crawl the button runs the whole crawl again. */
export function againButton({ id, parent, cure }, { announce, signal }) {
  if (!cure?.again || !may('run')) return null;
  const whole = parent ?? id;
  const words = parent ? 'Run the crawl again' : 'Run again';
  const create = creation({ announce, signal });
  const run = async () => {
    button.disabled = true;
    try {
      await create(path`v1/jobs/${whole}/run-again`);
    } catch (problem) {
      announce(problem.message);
    }
    button.disabled = false;
  };
  const button = el('button', { type: 'button', onclick: run, 'aria-label': `${words}: ${whole}` }, words);
  return button;
}
