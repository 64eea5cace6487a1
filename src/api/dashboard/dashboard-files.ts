/**
 * The files of the dashboard, read once at the start. A requested name is looked up among them and never becomes a path. Each
 * file has an entity tag computed from its bytes; browsers revalidate with it and get 304.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface DashboardFile {
  readonly bytes: Buffer;
  /** `bytes`, compressed with gzip. */
  readonly zipped: Buffer;
  readonly type: string;
  /** Entity tag, weak because both content codings share it. */
  readonly etag: string;
}

export const START_FILE = 'dashboard.html';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const folderOfPage = new URL('../../dashboard/', import.meta.url);

export const dashboardPaths = (): Set<string> =>
  new Set([
    '/',
    ...readdirSync(folderOfPage).flatMap((name) => (extname(name) in types ? [`/dashboard/${name}`] : [])),
  ]);

/** The files by name. Throws when the start file is missing: the build is incomplete. */
export function dashboardFiles(folder = folderOfPage): Map<string, DashboardFile> {
  const files = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder)) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    const bytes = readFileSync(new URL(name, folder));
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(name, { bytes, zipped: gzipSync(bytes, { level: 9 }), type, etag });
  }
  if (!files.has(START_FILE))
    throw new Error(`${START_FILE} is missing in ${folder.pathname}: build the program again`);
  return files;
}
