import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../src/db/embedded/embedded.js';
import { temporaryFolder } from '../support/folders.js';

/** The path of a data directory becomes a part of settings and URLs, which have characters of their own. */

describe('a data directory', () => {
  it.each(['a,b', '"a", b', "it's", 'a b%41&c=d#e?', 'ünï'])('may be called %s', async (name) => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const server = await startEmbedded({ dataDir: join(folder.path, name), durable: false });
    onTestFinished(() => server.stop());
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query(`select current_setting('data_directory') as folder`);
    expect(rows).toEqual([{ folder: join(folder.path, name, 'postgres') }]);
  });

  it('that is a copy of one in use leaves that one its socket below /tmp', async () => {
    const folder = await temporaryFolder();
    onTestFinished(() => folder.remove());
    const [original, copy] = ['a', 'b'].map((letter) => join(folder.path, letter.repeat(100)));
    const server = await startEmbedded({ dataDir: original!, durable: false });
    onTestFinished(() => server.stop());
    expect(server.url).toContain('host=%2Ftmp%2Forbweaver-');
    execFileSync('cp', ['-a', original!, copy!]);
    const other = await startEmbedded({ dataDir: copy!, durable: false });
    await other.stop();
    expect(existsSync(decodeURIComponent(/host=(.*)$/.exec(server.url)![1]!))).toBe(true);
  });
});
