/** Pause, resume, stop, abort: the buttons of a crawl or a job. Abort asks first, because unfinished work is lost. */
import { may, path, post } from './api.js';
import { el, foreign } from './element.js';
import { hasEnded } from './words.js';

const done = { pause: 'is paused', resume: 'continues', stop: 'is being stopped', abort: 'is being aborted' };

/** The actions that the state of a job and the key in use allow. Role `user` of NutchServer may stop and abort. */
function actionsFor(job) {
  const allowed = (action) => may('run', ['stop', 'abort'].includes(action) ? 'user' : undefined);
  return actionsOfState(job).filter(allowed);
}

function actionsOfState(job) {
  if (hasEnded(job) || job.state === 'KILLING') return [];
  if (job.state === 'STOPPING') return ['abort'];
  return [job.paused ? 'resume' : 'pause', 'stop', 'abort'];
}

/**
 * The buttons, with a function that updates them. `changed` is called after each action.
 * @returns {{ node: HTMLElement, update: (job: object) => void }}
 */
export function jobActions(first, { announce, changed, signal }) {
  const node = el('div', {
    class: 'actions',
    role: 'group',
    'aria-label': `Actions of ${first.id}`,
    onkeydown: (event) => event.repeat && event.key === 'Enter' && event.preventDefault(),
  });
  const base = first.type === 'CRAWL' ? path`v1/crawls/${first.id}` : path`job/${first.id}`;
  let names = '';
  let isActing = false;
  /** Each action changes the buttons, so the second click of a double click would do the opposite of the first. */
  const act = async (action, { detail }) => {
    if (isActing || detail > 1) return;
    if (action === 'abort' && !(await isSure(first, signal))) return;
    isActing = true;
    try {
      const answer = await post(`${base}/${action}`);
      announce(answer ? `${first.id} ${done[action]}.` : `${first.id}: there was nothing to ${action}.`);
    } catch (error) {
      announce(error.message);
    }
    isActing = false;
    changed();
  };
  const button = (action) =>
    el(
      'button',
      {
        type: 'button',
        class: action === 'abort' ? 'plain danger' : 'plain',
        onclick: (event) => act(action, event),
        'aria-label': `${action} ${first.id}`,
      },
      action[0].toUpperCase() + action.slice(1),
    );
  const update = (job) => {
    const actions = actionsFor(job);
    if (actions.join() === names) return;
    const had = node.contains(document.activeElement);
    names = actions.join();
    node.replaceChildren(...actions.map(button));
    // The focused button was replaced: the focus must not be lost.
    if (had) (node.querySelector('button') ?? document.querySelector('#content')).focus();
  };
  update(first);
  return { node, update };
}

/** Asks for confirmation in a dialog; Escape, "Keep it running" and a change of view mean no. */
function isSure({ id }, signal) {
  return new Promise((resolve) => {
    const dialog = el(
      'dialog',
      { 'aria-labelledby': 'sure' },
      el('h2', { id: 'sure' }, 'Abort this job?'),
      el(
        'p',
        {},
        'Connections of ',
        foreign(id),
        ' are closed, and unfinished work is lost. Its batch stays open: an UPDATEDB job releases its pages. “Stop” ends it cleanly.',
      ),
      el(
        'div',
        { class: 'row' },
        el('button', { type: 'button', class: 'danger', onclick: () => dialog.close('abort') }, 'Abort'),
        el(
          'button',
          { type: 'button', class: 'plain', autofocus: true, onclick: () => dialog.close('') },
          'Keep it running',
        ),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'abort');
    });
    signal.addEventListener('abort', () => dialog.close(''), { once: true });
    document.body.append(dialog);
    dialog.showModal();
  });
}
