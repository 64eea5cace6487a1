import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { isDead, isDeadWithServer, thisOwner } from '../../src/worker/owner.js';

/** Names of owners: machine, process id, start time. */

const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

const [, pid, started] = /^(?:.*)\/(\d+)\/(\d+)$/.exec(thisOwner())!;
const machine = thisOwner().slice(0, -`/${pid}/${started}`.length);

function sleeper(): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(child);
  return child.pid!;
}

/** Output of a process of another user that sees only its own processes in /proc. */
function askHidden(owner: string): string {
  const module = fileURLToPath(new URL('../../dist/src/worker/owner.js', import.meta.url));
  const program = `import { isDead } from ${JSON.stringify(module)}; console.log(isDead(${JSON.stringify(owner)}))`;
  const asNobody = 'exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"';
  const args = ['-m', 'sh', '-c', `mount -t proc -o hidepid=2 proc /proc && ${asNobody}`, 'sh', process.execPath];
  return spawnSync('unshare', [...args, '--input-type=module', '-e', program], { encoding: 'utf8' }).stdout.trim();
}

/** Requires root, and a folder that others may read. */
function canHide(): boolean {
  return askHidden('test') === 'false';
}

const startOf = (of: number): string => readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1]!.split(' ')[19]!;

describe('the owner of a task', () => {
  it('names this process and machine', () => {
    expect(machine.startsWith(`${hostname()}/`)).toBe(true);
    expect(Number(pid)).toBe(process.pid);
    expect(thisOwner()).toBe(thisOwner());
  });

  it('is alive when it is this process', () => expect(isDead(thisOwner())).toBe(false));

  it('is alive when it is another running process', () => {
    const other = sleeper();
    expect(isDead(`${machine}/${other}/${startOf(other)}`)).toBe(false);
  });

  it('is dead after it was killed', async () => {
    const other = sleeper();
    const owner = `${machine}/${other}/${startOf(other)}`;
    children[0]!.kill('SIGKILL');
    await once(children[0]!, 'exit');
    expect(isDead(owner)).toBe(true);
  });

  it('is dead when only its process ended, and its server is alive', () => {
    expect(isDeadWithServer(`${machine}/${pid}/${Number(started) - 1}`)).toBe(false);
    expect(isDead(`${machine}/${pid}/${Number(started) - 1}`)).toBe(true);
  });

  it('is dead with its server when both ended', () => {
    const host = machine.split('/').slice(0, -2).join('/');
    expect(isDeadWithServer(`${host}/${pid}/1/${pid}/1`)).toBe(true);
    expect(isDeadWithServer(`${host}/${pid}/1/${pid}/${started}`)).toBe(false);
  });

  it('is dead when a later process has its process id', () => {
    const other = sleeper();
    expect(isDead(`${machine}/${other}/${Number(startOf(other)) - 1}`)).toBe(true);
  });

  it('is dead when it is a zombie', async () => {
    // The shell replaces itself with a program that never waits for its child.
    const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(parent);
    const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
    const zombie = Number(line.toString());
    const owner = `${machine}/${zombie}/${startOf(zombie)}`;
    await expect.poll(() => readFileSync(`/proc/${zombie}/stat`, 'utf8').split(') ')[1]![0]).toBe('Z');
    expect(isDead(owner)).toBe(true);
  });

  it(
    'hidden in /proc is alive as long as its process',
    onlyWhere(canHide(), 'needs the right to mount /proc'),
    async () => {
      const other = sleeper();
      const owner = `${machine}/${other}/${startOf(other)}`;
      expect(askHidden(owner)).toBe('false');
      children[0]!.kill('SIGKILL');
      await once(children[0]!, 'exit');
      expect(askHidden(owner)).toBe('true');
    },
  );

  it.each([
    ['another machine', `elsewhere/00000000/1/${pid}/1`],
    ['this machine before its last boot', `${hostname()}/00000000/1/${pid}/1`],
    ['an unknown machine', 'test'],
    ['an empty name', ''],
  ])('of %s counts as alive: its lease decides', (_where, owner) => expect(isDead(owner)).toBe(false));
});
