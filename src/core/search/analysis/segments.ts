/**
 * Splits text without spaces into words, by the dictionaries of the runtime (ICU). It takes a third of a microsecond per
 * character for Chinese and Japanese, a tenth for Thai.
 */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Maximum of characters passed to the segmenter at once. */
export const MAX_RUN = 1_000;

/** The ends of the words of text[start, end), which is a run of such characters, or the first MAX_RUN of it. Never empty. */
export function segmentsOf(text: string, start: number, end: number): readonly number[] {
  const ends: number[] = [];
  for (const { index, segment } of segmenter.segment(text.slice(start, end))) ends.push(start + index + segment.length);
  // The last word may be incomplete: it becomes the first one of the next call.
  if (end - start >= MAX_RUN && ends.length > 1) ends.pop();
  return ends;
}
