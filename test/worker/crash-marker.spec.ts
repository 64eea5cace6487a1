import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { thisOwner } from '../../src/worker/owner.js';
import { CrashMarker, crashMarkerOf } from '../../src/worker/crash-marker.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** The page that a process is parsing, as read by others on its machine; faults/poison shows that it outlives the process. */

const owner = thisOwner();
const page = { task: '7', token: 2, key: 'test.site:http/a' };

let temporary: TemporaryFolder;
let note: CrashMarker;
beforeAll(async () => {
  temporary = await temporaryFolder();
  vi.stubEnv('TMPDIR', temporary.path);
});
afterEach(() => note.close());
afterAll(async () => {
  vi.unstubAllEnvs();
  await temporary.remove();
});

const marked = () => crashMarkerOf(owner);
const file = () => join(temporary.path, readdirSync(temporary.path)[0]!, encodeURIComponent(owner));
const files = () => readdirSync(temporary.path).flatMap((folder) => readdirSync(join(temporary.path, folder)));

it('the crash marker exists while the page is processed, also when that throws', () => {
  note = CrashMarker.open(owner)!;
  expect(marked()).toBeUndefined();
  expect(note.during(page, marked)).toEqual(page);
  expect(marked()).toBeUndefined();
  const fail = () => {
    throw new Error('no');
  };
  expect(() => note.during(page, fail)).toThrow('no');
  expect(marked()).toBeUndefined();
});

it('the crash marker is complete after a longer one, and with any characters in the URL', () => {
  note = CrashMarker.open(owner)!;
  note.during({ ...page, key: 'x'.repeat(5_000) }, () => undefined);
  const odd = { ...page, key: 'test.site:http/%0A"ü\n?' };
  expect(note.during(odd, marked)).toEqual(odd);
});

it.each([
  'no JSON',
  'null',
  '{"task":"x","token":1,"key":"k"}',
  '{"task":"1","token":3000000000,"key":"k"}',
  '{"task":"1","token":1,"key":"\\u0000"}',
  JSON.stringify({ ...page, key: 'x'.repeat(70_000) }),
])('a crash marker of another format is ignored: %.50s', (text) => {
  note = CrashMarker.open(owner)!;
  writeFileSync(file(), `${text}\n`);
  expect(marked()).toBeUndefined();
});

it('a crash marker is neither read through nor written through a symbolic link or a FIFO', async () => {
  note = CrashMarker.open(owner)!;
  const foreign = await temporaryFolder();
  const elsewhere = join(foreign.path, 'elsewhere');
  writeFileSync(elsewhere, JSON.stringify(page));
  rmSync(file());
  symlinkSync(elsewhere, file());
  expect(marked()).toBeUndefined();
  expect(CrashMarker.open(owner)).toBeUndefined();
  rmSync(file());
  execFileSync('mkfifo', [file()]);
  expect(marked()).toBeUndefined();
  rmSync(file());
  await foreign.remove();
});

it('a crash marker is deleted with its process, those of dead processes when another starts an hour later', async () => {
  const child = spawn('true');
  const dead = [...owner.split('/').slice(0, -2), child.pid, '1'].join('/');
  await once(child, 'exit');
  const foreign = 'another machine/0/0/1/1/2/2';
  for (const one of [dead, `${dead}2`, foreign, `${foreign}3`]) CrashMarker.open(one);
  const [folder] = readdirSync(temporary.path);
  const old = (name: string, hours: number) => {
    const then = Date.now() / 1_000 - hours * 3_600;
    utimesSync(join(temporary.path, folder!, name), then, then);
  };
  old(encodeURIComponent(dead), 2);
  old(encodeURIComponent(foreign), 2);
  old(encodeURIComponent(`${foreign}3`), 24 * 8);
  writeFileSync(join(temporary.path, folder!, '%bad'), '');
  old('%bad', 2);
  note = CrashMarker.open(owner)!;
  const left = ['%bad', ...[`${dead}2`, foreign].map(encodeURIComponent)];
  expect(files().toSorted()).toEqual([...left, encodeURIComponent(owner)].toSorted());
  note.close();
  expect(files().toSorted()).toEqual(left.toSorted());
  note = CrashMarker.open(owner)!;
});

it('the folder of crash markers is deleted with the last one', () => {
  const [folder] = readdirSync(temporary.path);
  rmSync(join(temporary.path, folder!), { recursive: true });
  note = CrashMarker.open(owner)!;
  const other = CrashMarker.open(`${owner}2`)!;
  other.close();
  expect(files()).toEqual([encodeURIComponent(owner)]);
  note.close();
  expect(readdirSync(temporary.path)).toEqual([]);
  note = CrashMarker.open(owner)!;
});
