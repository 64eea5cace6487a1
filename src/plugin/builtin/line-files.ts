/**
 * Line-based files of INDEX, in the folder of its job, named like the part files of a Hadoop job. The hash of its id selects
 * the file of a document, so that a page is always in the same one. Lines that were written but are not yet in the task's
 * progress are truncated by the next attempt: no line is lost or duplicated.
 */
import { hash } from 'node:crypto';
import { type FileHandle, constants, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { WriterContext, WriterParameters } from '../extension-points.js';

const MAX_PART_FILES = 1_000;

/** ISO-8859-1 has `?` for characters outside of it. */
export type LineEncoding = 'utf8' | 'latin1';

const bytesIn = (text: string, encoding: LineEncoding): Buffer =>
  Buffer.from(encoding === 'latin1' ? text.replaceAll(/[^\0-\xff]/gu, '?') : text, encoding);

export class LineFiles {
  private opening: Promise<FileHandle[]> | undefined;
  private lengths: number[];
  private readonly parts: number;

  /** @throws Error with a reason for invalid parameters, and for a server without a folder for files */
  constructor(
    private readonly context: WriterContext,
    private readonly extension: string,
    parameters: WriterParameters,
    /** The first line of each file, with its line end, and the line end of all others. */
    private readonly form: { readonly head: string; readonly end: string; readonly encoding: LineEncoding } = {
      head: '',
      end: '\n',
      encoding: 'utf8',
    },
  ) {
    this.parts = Number(parameters['parts'] ?? 1);
    if (!Number.isInteger(this.parts) || this.parts < 1 || this.parts > MAX_PART_FILES)
      throw new Error(`its parameter parts is a whole number from 1 to ${MAX_PART_FILES}`);
    if (context.folder === null) throw new Error('this process has no folder for files');
    this.lengths = Array.from({ length: this.parts }, (_, at) => context.position?.[at] ?? 0);
  }

  /**
   * Appends lines, each with the id of its document; resolves when they are synced to disk. After an error the same lines are
   * appended again: they replace what was written of them.
   */
  async append(lines: readonly { id: string; line: string }[]): Promise<void> {
    const files = await this.opened();
    const texts = Array.from({ length: this.parts }, () => [] as string[]);
    for (const { id, line } of lines) texts[this.partFileOf(id)]!.push(line, this.form.end);
    const lengths = [...this.lengths];
    for (const [at, text] of texts.entries()) {
      if (text.length === 0) continue;
      const bytes = bytesIn(text.join(''), this.form.encoding);
      await writeAll(files[at]!, bytes, lengths[at]!);
      await files[at]!.datasync();
      lengths[at]! += bytes.length;
    }
    this.lengths = lengths;
  }

  position(): readonly number[] {
    return [...this.lengths];
  }

  async close(): Promise<void> {
    const files = await this.opening?.catch(() => []);
    this.opening = undefined;
    for (const file of files ?? []) await file.close();
  }

  /** Opens the files on first use. `commit` calls it to create the files of a job that wrote nothing. */
  opened(): Promise<FileHandle[]> {
    this.opening ??= this.open().catch((error: unknown) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async open(): Promise<FileHandle[]> {
    const folder = this.context.folder!;
    await mkdir(folder, { recursive: true });
    const files: FileHandle[] = [];
    try {
      for (const at of this.lengths.keys()) {
        const name = `part-r-${String(at).padStart(5, '0')}.${this.extension}`;
        // Created if missing, but not truncated.
        files.push(await open(join(folder, name), constants.O_RDWR | constants.O_CREAT));
        await this.begin(files[at]!, at);
      }
    } catch (error) {
      for (const file of files) await file.close();
      throw error;
    }
    return files;
  }

  private async begin(file: FileHandle, at: number): Promise<void> {
    const length = this.lengths[at]!;
    const { size } = await file.stat();
    // Longer, it would begin with NUL bytes in place of the lines.
    if (size < length)
      throw new Error(
        `its file has ${size} of ${length} bytes: an earlier attempt wrote it, perhaps on another machine`,
      );
    await file.truncate(length);
    if (length > 0) return;
    const head = bytesIn(this.form.head, this.form.encoding);
    await writeAll(file, head, 0);
    this.lengths[at] = head.length;
  }

  private partFileOf(id: string): number {
    return this.parts === 1 ? 0 : Number.parseInt(hash('sha1', id).slice(0, 8), 16) % this.parts;
  }
}

/** The system may write a part of the bytes at a time, for example when the disk is almost full. */
async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
