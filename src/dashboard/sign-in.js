/** The sign-in page, the small form for a key with a wider scope, and signing out. */
import { isSignedIn, keyOfUser, may, scopeInUse, tryKey, useKey, wantBetterKey } from './api.js';
import { el } from './element.js';

const wrong = {
  key: 'The server does not know this key.',
  user: 'The server does not know this name with this password.',
};

/** The form for a key. `done` is called when a key that the server knows is in use. */
function keyForm({ label, button, withName, cancel, done }) {
  const key = el('input', {
    id: 'key',
    type: 'password',
    autocomplete: withName ? 'current-password' : 'off',
    required: true,
    maxlength: 2_000,
    'aria-describedby': 'key-fault',
  });
  const name = el('input', { id: 'key-name', autocomplete: 'username', spellcheck: 'false', maxlength: 64 });
  const fault = el('p', { id: 'key-fault', class: 'fault', role: 'alert' });
  const use = el('button', {}, button);
  const take = async (event) => {
    event.preventDefault();
    const [typedKey, user] = [key.value.trim(), name.value.trim()];
    fault.textContent = '';
    use.disabled = true;
    try {
      if (user === '' && !/^[\x21-\x7e]+$/.test(typedKey)) fault.textContent = wrong.key;
      else {
        await tryKey(user === '' ? typedKey : keyOfUser(user, key.value));
        done();
      }
    } catch (problem) {
      fault.textContent = problem.status === 401 ? wrong[user === '' ? 'key' : 'user'] : problem.message;
    }
    use.disabled = false;
    if (fault.textContent === '') return;
    key.setAttribute('aria-invalid', 'true');
    key.select();
  };
  return el(
    'form',
    { class: 'card sign-in', 'aria-label': 'Sign in', onsubmit: take, novalidate: true },
    el('label', { for: 'key' }, label),
    key,
    withName
      ? el(
          'details',
          {},
          el('summary', {}, 'With a name and a password'),
          el(
            'div',
            { class: 'field' },
            el('label', { for: 'key-name' }, 'Name'),
            name,
            el('span', { class: 'hint' }, 'Of a user of RESTAPI_AUTH_USERS; the password goes into the field above.'),
          ),
        )
      : null,
    fault,
    el(
      'div',
      { class: 'row' },
      use,
      cancel ? el('button', { type: 'button', class: 'plain', onclick: cancel }, 'Not now') : null,
    ),
  );
}

/** Fills `main` with the sign-in page. @param {string} words why a key is required */
export function showSignIn(main, words, done) {
  const label = 'API key';
  const form = keyForm({ label, button: 'Sign in', withName: true, done });
  main.replaceChildren(
    el(
      'div',
      { class: 'welcome' },
      el('h1', {}, 'Sign in'),
      el('p', {}, words),
      form,
      el(
        'p',
        { class: 'hint' },
        'The key is kept in this tab until you sign out or close it, and sent to this server only.',
      ),
    ),
  );
  form.querySelector('#key').focus();
}

/** Shows the small form for a key with a wider scope, unless it is shown already. `done` is called with the new key in use. */
export function askForKey(parent, words, done) {
  if (parent.firstChild) return;
  const close = () => parent.replaceChildren();
  const form = keyForm({
    label: 'API key, kept in this tab',
    button: 'Use this key',
    cancel: close,
    done: () => (close(), done()),
  });
  form.prepend(el('p', {}, words));
  parent.append(form);
  form.querySelector('#key').focus();
}

/** Replaces a part of a view that requires another scope. */
export function needsBetterKey(action, needed) {
  const words = `${action} needs a key with the scope “${needed}”; this one has “${scopeInUse()}”.`;
  const ask = () => wantBetterKey(words);
  return el(
    'div',
    { class: 'note' },
    el('p', {}, words),
    el('button', { type: 'button', class: 'plain', onclick: ask }, 'Use another key'),
  );
}

/** Shows the links and forms that this key may use, and the button that signs out; none of them on the sign-in page. */
export function showAllowed(isIn) {
  for (const part of document.querySelectorAll('[data-needs]')) part.hidden = !isIn || !may(part.dataset.needs);
  for (const part of document.querySelectorAll('[data-inside]')) part.hidden = !isIn;
  const out = document.querySelector('#sign-out');
  out.hidden = !isIn || !isSignedIn();
  out.querySelector('span').textContent = scopeInUse() ?? '';
}

/** Forgets the key. */
export const signOut = () => useKey('');
