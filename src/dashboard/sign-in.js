/** The small form that asks for a key, when the server wants one, or one that may do more. */
import { useKey } from './api.js';
import { el } from './element.js';

/** Shows the form, once. `then` is called with the new key in use. */
export function askForKey(door, problem, then) {
  if (door.firstChild) return;
  const input = el('input', { id: 'key', type: 'password', autocomplete: 'off', required: true });
  const take = (event) => {
    event.preventDefault();
    useKey(input.value.trim());
    door.replaceChildren();
    then();
  };
  door.append(
    el(
      'form',
      { class: 'card sign-in', 'aria-label': 'Sign in', onsubmit: take },
      el('p', {}, problem.message),
      el('label', { for: 'key' }, 'API key, kept in this tab'),
      el(
        'div',
        { class: 'row' },
        input,
        el('button', {}, 'Use this key'),
        el('button', { type: 'button', class: 'plain', onclick: () => door.replaceChildren() }, 'Not now'),
      ),
    ),
  );
}
