/** A property of a configuration, to be read and set where it is missed. */
import { path, send } from './api.js';
import { el } from './element.js';

const labels = { 'http.agent.name': 'Name of the crawler' };
const placeholders = { 'http.agent.name': 'mybot' };

/** A label, its control, what it means, and the place for what is wrong with it. */
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
 * Fields that set a property; with words in their place once it is set.
 * @param {string} [value] what it is now, where that is known
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
    const wanted = input.value.trim();
    try {
      await send('PUT', path`config/${confId}/${name}`, { body: wanted, headers: { 'Content-Type': 'text/plain' } });
      const said = name in labels ? `The crawler of configuration ${confId} is called ${wanted}.` : `${name} is set.`;
      place.replaceChildren(el('p', { class: 'note good', role: 'status' }, said));
    } catch (problem) {
      place.querySelector('.fault').textContent = problem.message;
    }
  };
  place.append(
    field(labels[name] ?? name, input),
    el('button', { type: 'button', onclick: save }, name in labels ? 'Set the name' : 'Set it'),
  );
  // Enter in this field sets the property; it does not send the form around it.
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void save();
  });
  if (value !== undefined) input.value = value;
  else
    readProperty(confId, name, signal)
      // What somebody has written meanwhile stays.
      .then((found) => (input.value ||= found))
      .catch(() => undefined);
  return place;
}
