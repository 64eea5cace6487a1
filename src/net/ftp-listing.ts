/** Reads listings of FTP servers, in the formats that basic-ftp knows: MLSD, and LIST of Unix and DOS. */
import { type FileInfo, parseList } from 'basic-ftp';
import type { ListedEntry } from '../core/listing/listing-page.js';

/** Longest line: names have at most 255 bytes on most systems. */
const MAX_LINE_LENGTH = 2_048;
const MAX_ENTRIES = 50_000;

/**
 * The files and directories of a listing; symbolic links are left out, as in Nutch, since they may lead back to their own folder.
 * @param isCut its last line is not whole
 * @returns `skipped`: there are more entries than those
 */
export function listedEntries(raw: string, isCut: boolean): { entries: ListedEntry[]; skipped: boolean } {
  const lines = raw.split(/\r?\n/);
  if (isCut) lines.pop();
  const named = lines.filter((line) => !line.includes('\0') && line.trim() !== '');
  const few = named.filter((line) => line.length <= MAX_LINE_LENGTH).slice(0, MAX_ENTRIES);
  const entries = parsed(few).flatMap(entryOf);
  return { entries, skipped: isCut || few.length < named.length };
}

/** The format is that of the last line. A line that cannot be read does not hide the others. */
function parsed(lines: readonly string[]): FileInfo[] {
  try {
    return parseList(lines.join('\n'));
  } catch {
    return lines.flatMap((line) => {
      try {
        return parseList(line);
      } catch {
        return [];
      }
    });
  }
}

function entryOf({ name, isDirectory, isFile, size, modifiedAt }: FileInfo): ListedEntry[] {
  if (!isDirectory && !isFile) return [];
  const modified = modifiedAt?.getTime() ?? Number.NaN;
  return [{ name, isDirectory, size: isFile ? size : null, modified: Number.isFinite(modified) ? modified : null }];
}
