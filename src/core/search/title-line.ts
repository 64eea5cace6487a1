/** The end of the first line of a text if that is its title, which may have been cut; null: it begins with another line. */
export function titleEnd(text: string, title: string): number | null {
  const end = text.indexOf('\n');
  return title === '' || end < title.length || !text.startsWith(title) ? null : end;
}
