/** Explains a score in the form of Lucene (`Explanation`): each factor with a bar, relative to the largest one beside it. */
import { el } from './element.js';

const DIGITS = 4;
/** Explanations of long queries are long: deeper levels are collapsed. */
const OPEN_LEVELS = 3;

/** @param {{ value: number, description: string, details: object[] }} root */
export function explanation(root) {
  const details = el('details', { class: 'explanation' }, el('summary', {}, `score ${digits(root.value)}`));
  details.addEventListener('toggle', () => details.append(listOf([root], 0)), { once: true });
  return details;
}

const digits = (value) => Number(value.toPrecision(DIGITS));

function listOf(nodes, level) {
  const largest = Math.max(...nodes.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
  return el(
    'ul',
    {},
    nodes.map((node) => el('li', {}, factor(node, largest, level))),
  );
}

function factor({ value, description, details = [] }, largest, level) {
  const words = [
    el('meter', { min: 0, max: largest, value: Math.max(0, value), 'aria-hidden': true }),
    el('span', { class: 'counts' }, ` ${digits(value)} `),
    description,
  ];
  if (details.length === 0) return words;
  const inner = el('details', { open: level < OPEN_LEVELS }, el('summary', {}, words));
  if (level < OPEN_LEVELS) inner.append(listOf(details, level + 1));
  else inner.addEventListener('toggle', () => inner.append(listOf(details, level + 1)), { once: true });
  return inner;
}
