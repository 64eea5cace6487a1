import { afterEach, describe, expect, it, vi } from 'vitest';
import { DocumentMaker } from '../../src/cycle/index/document-maker.js';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { Eligibility } from '../../src/core/frontier/eligibility.js';
import { PageError, atPage } from '../../src/cycle/page-error.js';
import { PartitionKeys } from '../../src/cycle/generate/partition-keys.js';
import { PageParser } from '../../src/cycle/parse/page-parser.js';
import { StepError } from '../../src/cycle/step.js';
import { LeaseLost } from '../../src/job/claim.js';
import { PluginError } from '../../src/plugin/external-guard.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';

/** When the code of a step throws at one page, `msg` of the job names the page besides step and cause. */

useCrawler();
afterEach(() => void vi.restoreAllMocks());

/** From now on a method throws at pages for which `isBad` returns true. */
function fails<T extends object, M extends keyof T>(of: T, method: M, isBad: (given: unknown[]) => boolean): void {
  const work = of[method] as (...given: unknown[]) => unknown;
  const broken = function (this: unknown, ...given: unknown[]) {
    if (isBad(given)) throw new Error('a bug of ours');
    return work.apply(this, given);
  };
  vi.spyOn(of, method as never).mockImplementation(broken as never);
}

const contains = (given: unknown): boolean => JSON.stringify(given).includes('/bad');

async function injected(crawlId: string): Promise<string> {
  const site = await crawler.site({ '*': page('<title>page</title>words') });
  await crawler.inject(
    crawlId,
    ['/', '/bad', '/good'].map((path) => site.url + path),
  );
  return site.url;
}

describe('a failed job names step, page and cause', () => {
  it('where the selection of a GENERATE fails', async () => {
    const url = await injected('generate');
    fails(Eligibility.prototype, 'leftOut', contains);
    const { state, msg } = await cycle.run('GENERATE', {}, { crawlId: 'generate' });
    expect([state, msg.split('\n')[0]]).toEqual(['FAILED', `ERROR: GENERATE at ${url}/bad: a bug of ours`]);
  });

  it.each([
    ['page', {}],
    ['URL of a list', { freegen: 'at-fault' }],
  ])('where the partition of a %s cannot be determined', async (name, args) => {
    const crawlId = `partition-${name.replaceAll(' ', '-')}`;
    const url = await injected(crawlId);
    const seed = { id: null, line: `${url}/bad` };
    await new SeedListStore(cycle.dataSource).save({ name: 'at-fault', id: null }, [seed]);
    fails(PartitionKeys.prototype, 'keyOf', contains);
    const { state, msg } = await cycle.run('GENERATE', args, { crawlId });
    expect([state, msg.split('\n')[0]]).toEqual(['FAILED', `ERROR: GENERATE at ${url}/bad: a bug of ours`]);
  });

  it.each(['PARSE', 'FETCH'] as const)('where the parser fails in a %s', async (type) => {
    const url = await injected(type);
    fails(PageParser.prototype, 'parse', ([, asked]) => contains(asked));
    await cycle.run('GENERATE', {}, { crawlId: type });
    const parse = (on: boolean) => ({ crawlId: type, conf: { 'fetcher.parse': String(on) } });
    const fetched = await cycle.run('FETCH', {}, parse(type === 'FETCH'));
    const { state, msg } = type === 'FETCH' ? fetched : await cycle.run('PARSE', {}, parse(false));
    expect([state, msg.split('\n')[0]]).toEqual(['FAILED', `ERROR: ${type} at ${url}/bad: a bug of ours`]);
  });

  it('where a document of an INDEX cannot be made', async () => {
    const url = await injected('index');
    await crawler.round('index');
    fails(DocumentMaker.prototype, 'make', ([read]) => contains(read));
    const { state, msg } = await cycle.run('INDEX', {}, { crawlId: 'index' });
    expect([state, msg.split('\n')[0]]).toEqual(['FAILED', `ERROR: INDEX at ${url}/bad: a bug of ours`]);
  });
});

describe('an error at a page', () => {
  const thrownBy = (error: unknown): unknown => {
    try {
      return atPage('test.a:http/b', () => {
        throw error;
      });
    } catch (thrown) {
      return thrown;
    }
  };

  it('has the URL beside its message: a site must not make it look like an error of the database', () => {
    expect(thrownBy(new Error('bug'))).toMatchObject({ url: 'http://a.test/b', message: 'bug' });
    expect(thrownBy('bug')).toMatchObject({ url: 'http://a.test/b', message: 'bug' });
  });

  it('has it when a promise is rejected', async () => {
    await expect(atPage('test.a:http/b', () => Promise.reject(new Error('bug')))).rejects.toThrow(PageError);
    await expect(atPage('test.a:http/b', async () => 1)).resolves.toBe(1);
  });

  it('has at most 500 characters of it', () => {
    const long = () => atPage(`test.a:http/${'b'.repeat(2_000)}`, () => JSON.parse('{') as unknown);
    expect(long).toThrow(expect.objectContaining({ url: `http://a.test/${'b'.repeat(486)}` }) as Error);
  });

  it.each([
    ['the user can act on', new StepError('no name', 'AGENT_NAME_MISSING')],
    ['a plugin causes that makes no extension', new PluginError('Plugin x (makeFilter): its table is gone')],
    ['ends the attempt', new LeaseLost({ job: 'j', task: '1', token: 1 } as never)],
    ['the database passes over', Object.assign(new Error('closed'), { code: '57P01' })],
  ])('is left as it is when it is one that %s', (_, error) => expect(thrownBy(error)).toBe(error));
});
