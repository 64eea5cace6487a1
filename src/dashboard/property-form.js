/** A form that reads and sets a property of a configuration. */
import { path, send } from './api.js';
import { el } from './element.js';

const labels = { 'http.agent.name': 'Name of the crawler' };
const placeholders = { 'http.agent.name': 'mybot' };

/** A label, its control, a hint, and an element for error messages. */
export function field(label, control, hint) {
  const { id } = control;
  const notes = [
    hint && el('span', { id: `${id}-hint`, class: 'hint' }, hint),
    el('span', { id: `${id}-fault`, class: 'fault' }),
  ];
  control.setAttribute('aria-describedby', `${hint ? `${id}-hint ` : ''}${id}-fault`);
  return el('div', { class: 'field' }, el('label', { for: id }, label), control, notes);
}

/** The value of a property, as text. */
export async function readProperty(confId, name, signal) {
  const answer = await send('GET', path`config/${confId}/${name}`, { signal, headers: { Accept: 'text/plain' } });
  return (await answer.text()).trim();
}

/**
 * A form that sets a property; replaced by a message when it is set.
 * @param {string} [value] its current value, if known
 */
export function propertyForm(confId, name, { value, signal }) {
  const input = el('input', {
    id: 'property',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: placeholders[name] ?? '',
  });
  const place = el('div');
  const save = async () => {
    const newValue = input.value.trim();
    try {
      await send('PUT', path`config/${confId}/${name}`, { body: newValue, headers: { 'Content-Type': 'text/plain' } });
      const said = name in labels ? `The crawler of configuration ${confId} is called ${newValue}.` : `${name} is set.`;
      place.replaceChildren(el('p', { class: 'note good', role: 'status' }, said));
    } catch (problem) {
      place.querySelector('.fault').textContent = problem.message;
    }
  };
  place.append(
    field(labels[name] ?? name, input),
    el('button', { type: 'button', onclick: save }, name in labels ? 'Set the name' : 'Set it'),
  );
  // Enter in this field sets the property; it must not submit the surrounding form.
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void save();
  });
  if (value !== undefined) input.value = value;
  else
    readProperty(confId, name, signal)
      // Text that the user has typed meanwhile is kept.
      .then((stored) => (input.value ||= stored))
      .catch(() => undefined);
  return place;
}
