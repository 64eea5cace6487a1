import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS } from './webhooks-under-test.js';
import { onlyWhere } from '../support/left-out.js';
import { type Outgoing, bodyOf } from '../../src/job/webhook-message.js';
import { pauseAfter, retryDelay } from '../../src/core/job/webhook-retry.js';
import { signatureOf } from '../../src/job/webhook-signature.js';
import { temporaryFolder } from '../support/folders.js';

describe('delays of webhook deliveries', () => {
  it.each([
    [1, 10],
    [2, 30],
    [3, 90],
    [4, 270],
    [7, 7_290],
    [8, 21_600],
    [12, 21_600],
  ])('after attempt %i: %i s ± 20 %%', (attempts, seconds) => {
    expect(retryDelay(attempts, 0.5)).toBeCloseTo(seconds, 6);
    expect(retryDelay(attempts, 0)).toBeCloseTo(seconds * 0.8, 6);
    expect(retryDelay(attempts, 1)).toBeCloseTo(seconds * 1.2, 6);
  });

  it('the default number of attempts spans 27 hours', () => {
    const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, n) => retryDelay(n + 1, 0.5));
    expect(waits.reduce((sum, one) => sum + one, 0) / 3_600).toBeCloseTo(27.0, 0);
  });

  it.each([
    [0, 0],
    [4, 0],
    [5, 10],
    [6, 20],
    [9, 160],
    [10, 300],
    [1_000, 300],
  ])('after %i failures in a row the webhook pauses for %i s', (failures, seconds) => {
    expect(pauseAfter(failures)).toBe(seconds);
  });
});

describe('the body of a webhook request', () => {
  const out: Outgoing = {
    id: '40',
    attempts: 1,
    event: '17',
    kind: 'state',
    time: new Date(1_795_248_000_000),
    job: 'k1-default-FETCH-3',
    crawlId: 'k1',
    data: { state: 'RUNNING' },
    snapshot: {
      id: 'k1-default-FETCH-3',
      type: 'FETCH',
      state: 'RUNNING',
      crawlId: 'k1',
      confId: 'default',
      result: null,
      args: { threads: 5, api_password: 'hunter2' },
    },
  };

  it('masks job arguments with secret names', () => {
    expect(bodyOf(out)).not.toContain('hunter2');
    expect(JSON.parse(bodyOf(out))).toMatchObject({ id: '17', job: { id: out.job, args: { threads: 5 } } });
  });

  it('contains job null when the job was deleted', () => {
    expect(JSON.parse(bodyOf({ ...out, snapshot: null }))).toMatchObject({ jobId: out.job, job: null });
  });
});

describe('the signature of a webhook request', () => {
  const body = '{"id":"17","data":{"msg":"ä"}}';
  const header = signatureOf('whsec_0123456789abcdef', 1_795_248_000, body);

  it('is HMAC-SHA256 over timestamp, a dot and the body', () => {
    const digest = createHmac('sha256', 'whsec_0123456789abcdef').update(`1795248000.${body}`, 'utf8').digest('hex');
    expect(header).toBe(`t=1795248000,v1=${digest}`);
  });

  const examples = [
    ...readFileSync(join(import.meta.dirname, '../../docs/events.md'), 'utf8').matchAll(/```(js|python)\n(.*?)```/gs),
  ];
  const example = (language: string) => examples.find(([, name]) => name === language)?.[2] ?? '';

  it('is verified by the Node example of docs/events.md', async () => {
    const folder = await temporaryFolder();
    const file = join(folder.path, 'check.mjs');
    writeFileSync(file, example('js'));
    const { isGenuine } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      isGenuine: (secret: string, header: string, body: string, now: number) => boolean;
    };
    await folder.remove();
    const secret = 'whsec_0123456789abcdef';
    expect(isGenuine(secret, header, body, 1_795_248_100)).toBe(true);
    expect(isGenuine(secret, header, `${body} `, 1_795_248_100)).toBe(false);
    expect(isGenuine('another', header, body, 1_795_248_100)).toBe(false);
    expect(isGenuine(secret, header, body, 1_795_249_000)).toBe(false);
    expect(isGenuine(secret, 't=1795248000', body, 1_795_248_000)).toBe(false);
  });

  it('is verified by the Python example of docs/events.md', onlyWhere(hasPython(), 'needs python3'), () => {
    const program = `${example('python')}
import json, sys
secret, header, body = json.load(sys.stdin)
body = body.encode()
print(is_genuine(secret, header, body, 1795248100), is_genuine(secret, header, body + b" ", 1795248100), is_genuine(secret, header, body, 1795249000))`;
    const input = JSON.stringify(['whsec_0123456789abcdef', header, body]);
    expect(execFileSync('python3', ['-c', program], { input }).toString().trim()).toBe('True False False');
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
}
