/** A number and its noun, for messages: `1 page`, `2 pages`. @param noun in the singular; its plural ends in s */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
