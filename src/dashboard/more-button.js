import { el } from './element.js';

/**
 * A button "More". `readOn` shows the next items and returns the new elements; the first link in them gets the focus. Errors are
 * shown in `said`.
 */
export function moreButton(readOn, said) {
  const more = el('button', { type: 'button', hidden: true }, 'More');
  more.addEventListener('click', async () => {
    more.disabled = true;
    const fresh = await readOn().catch((error) => void (said.textContent = error.message));
    more.disabled = false;
    fresh?.[0]?.querySelector('a').focus();
  });
  return more;
}
