/** The log (reliability B6): one line per event, escaped, cut to 2 KiB, without secrets; JSON, or text for people. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogFormat, makeLog } from '../../src/conf/log.js';

/** The lines that `work` logs. */
function linesOf(
  work: (log: ReturnType<typeof makeLog>) => void,
  format: LogFormat = 'json',
  level = 'info',
): string[] {
  let written = '';
  work(makeLog('worker', { format, level, about: { worker: 'm/1' }, to: { write: (line) => void (written += line) } }));
  return written.split('\n').slice(0, -1);
}

describe('a line of the log', () => {
  it('has time, level, name, worker and the members of the event', () => {
    const [line] = linesOf((log) => log.warn({ job: 'k1-c1-FETCH-1', task: '17' }, 'lease lost'));
    expect(JSON.parse(line!)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      name: 'worker',
      pid: process.pid,
      worker: 'm/1',
      job: 'k1-c1-FETCH-1',
      task: '17',
      msg: 'lease lost',
    });
  });

  it.each([
    ['line\r\nbreaks'],
    ['\u001b[31mred\u009b'],
    ['line\u2028and\u2029paragraph'],
    ['\u202eturned\u2066'],
    ['quotes " and \\ and {"level":"fatal"}'],
    ['lone \ud800'],
    ['x'.repeat(1_048_576)],
  ])('is one line of bounded length without control characters: %$', (text) => {
    for (const format of ['json', 'text'] as const) {
      const lines = linesOf((log) => log.error({ url: text, err: new Error(text) }, text), format);
      expect(lines).toHaveLength(1);
      expect(lines[0]!.length).toBeLessThanOrEqual(format === 'json' ? 2_048 : 4_096);
      // eslint-disable-next-line no-control-regex
      expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
      if (format === 'json') expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'error', worker: 'm/1' });
    }
  });

  it('with very many members keeps the first', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`name${n}`, 'x'.repeat(100)]));
    const [line] = linesOf((log) => log.info({ job: 'j', ...many }, 'much'));
    expect(line!.length).toBeLessThanOrEqual(2_048);
    expect(JSON.parse(line!)).toMatchObject({ level: 'info', job: 'j' });
  });

  it('contains no value that a configuration would mask, at any depth', () => {
    const hidden = 'deep-secret';
    const about = {
      args: { 'elastic.password': hidden, topN: 5 },
      list: [{ 'my.api-key': hidden }],
      'my.token': hidden,
    };
    for (const format of ['json', 'text'] as const) {
      const [line] = linesOf((log) => log.info(about, 'made'), format);
      expect(line).not.toContain(hidden);
      expect(line).toContain('"topN":5');
    }
  });

  it('contains no password or token', () => {
    const [line] = linesOf((log) =>
      log.info(
        { password: 'hidden', token: 'hidden', url: 'postgresql://crawler:hidden@db:5432/crawl' },
        'at http://ann:hidden@x/',
      ),
    );
    expect(line).not.toContain('hidden');
    expect(line).toContain('postgresql://crawler:***@db:5432/crawl');
  });

  it.each<LogFormat>(['json', 'text'])(
    'contains no unencoded password, and keeps a path that looks like one (%s)',
    (format) => {
      const [line] = linesOf(
        (log) =>
          log.info(
            { page: 'http://127.0.0.1:8080/@scope/x' },
            'postgresql://u:hid/den@h/a postgres://u:hid@"den@h/b postgresql://h/c?x=1&sslpassword=hidden',
          ),
        format,
      );
      expect(line).not.toMatch(/hid|den/);
      for (const kept of ['u:***@h/a', 'u:***@h/b', 'sslpassword=***', 'http://127.0.0.1:8080/@scope/x'])
        expect(line).toContain(kept);
    },
  );

  it.each<LogFormat>(['json', 'text'])('contains no part of a password that is cut (%s)', (format) => {
    for (const before of [15, 55, 195, 595, 16_380]) {
      const long = `${'-'.repeat(before - 14)} postgres://u:${'hid"den'.repeat(3)}@h/a https://h/?password=hidden ${'x'.repeat(5_000)}`;
      const [line] = linesOf((log) => log.info({ about: long, more: Array(20).fill(long) }, long), format);
      expect(line).not.toMatch(/hid|den/);
    }
  });

  it('takes less than 1 s of CPU time for long hostile texts', () => {
    for (const piece of ['postgres://u:', 'postgres://', '://u:', '?password=', '?a', '\\', '"', '@'])
      for (const times of [20_000, 2_000_000]) {
        const text = `postgres://u:${piece.repeat(times)}`;
        const begun = process.threadCpuUsage();
        expect(linesOf((log) => log.info({ a: text, b: text }, 'x'))[0]!.length).toBeLessThanOrEqual(2_048);
        const { user, system } = process.threadCpuUsage(begun);
        expect(user + system).toBeLessThan(1_000_000);
      }
  });

  it('is JSON when a quote follows a password', () => {
    const text = 'cannot fetch "https://a.test/login?password=hidden" nor "https://a.test/?password=hid\\den&x=1"';
    const [line] = linesOf((log) => log.info(text), 'json');
    expect(JSON.parse(line!)).toMatchObject({
      msg: 'cannot fetch "https://a.test/login?password=***" nor "https://a.test/?password=***&x=1"',
    });
  });

  it('is JSON for any text before, in and after a password', () => {
    const piece = fc.constantFrom('postgres://u:', '://', 'u:', '@', '\\', '"', '?password=', '&', ' ', '\n', 'é', 'x');
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, fc.constantFrom(0, 3_000), (a, b, more) => {
        const [line] = linesOf((log) => log.info({ a, b, more: 'x'.repeat(more) }, a));
        expect(JSON.parse(line!)).toMatchObject({
          a: expect.any(String),
          b: expect.any(String),
          msg: expect.any(String),
        });
      }),
      { numRuns: 2_000, examples: [['postgres://u:\\', 'a@b', 0]] },
    );
  });

  it('below the level is not written', () => {
    expect(linesOf((log) => log.info('quiet'), 'json', 'warn')).toEqual([]);
    expect(linesOf((log) => log.fatal('quiet'), 'json', 'silent')).toEqual([]);
  });

  it('as text has time, level, name, message and members', () => {
    const [line] = linesOf((log) => log.warn({ job: 'j1', n: 3 }, 'lease "lost"'), 'text');
    expect(line).toMatch(/^\d{4}-\S+Z WARN worker: lease "lost" worker=m\/1 job=j1 n=3$/);
  });
});
