/** Faults in a running FETCH: pages that are read again, and reports that it needs further ones. */

const EXCLUDED = ['test/cycle/excluded-pages.spec.ts'];

/** @type {import('./faults.mjs').Fault[]} */
export const fetch = [
  {
    id: 'excluded-joined-not-read',
    file: 'src/cycle/fetch/chunk-feeder.ts',
    text: 'for (const key of joined) this.joined.delete(key);',
    replacement: 'void joined;',
    breaks: 'Pages that joined their batch by a redirect are not read again when the block of their host is over.',
    specs: EXCLUDED,
  },
  {
    id: 'excluded-from-its-first-page',
    file: 'src/core/politeness/deferred-hosts.ts',
    text: 'known === undefined ? before : earlier(known.after, before)',
    replacement: 'before',
    breaks: 'Pages that were left unread before the first excluded one are lost.',
    specs: EXCLUDED,
  },
  {
    id: 'excluded-while-requested',
    file: 'src/cycle/fetch/page-flow.ts',
    text: 'if (this.unfinished.has(batchHostId(one.batch, one.host))) continue;',
    replacement: '',
    breaks: 'A page that is being fetched when the block of its host ends is fetched twice.',
    specs: ['test/cycle/page-flow.spec.ts'],
  },
  {
    id: 'excluded-by-memory-only',
    file: 'src/cycle/fetch/page-flow.ts',
    text: 'this.pace.excludedUntil(host, queueId, stored.get(queueId))',
    replacement: 'this.pace.excludedUntil(host, queueId)',
    breaks: 'The pages of a blocked queue are read again each minute once its lease was released.',
    specs: ['test/cycle/page-flow.spec.ts'],
  },
  {
    id: 'excluded-deferred-after-block',
    file: 'src/politeness/host-pace.ts',
    text: 'if (this.isTooLong(this.queues.deferredUntil(queueId) - now)) this.queues.lift(queueId);',
    replacement: 'void now;',
    breaks: 'Pages wait in their queue for the end of a block that an operator has removed.',
    specs: ['test/cycle/page-flow.spec.ts'],
  },
  {
    id: 'excluded-check-moves-on',
    file: 'src/cycle/fetch/excluded-pages.ts',
    text: 'known.checkAt = Math.min(known.checkAt, checkTime(until, now))',
    replacement: 'known.checkAt = checkTime(until, now)',
    breaks: 'A host is not checked as long as further pages of it are read.',
    specs: EXCLUDED,
  },
  {
    id: 'excluded-checked-first',
    file: 'src/cycle/fetch/excluded-pages.ts',
    text: 'this.hosts.delete(id);\n    this.hosts.set(id, host);',
    replacement: 'void id;',
    breaks: 'Of very many blocked hosts the last ones are never checked.',
    specs: EXCLUDED,
  },
  {
    id: 'excluded-out-of-time-twice',
    file: 'src/cycle/fetch/excluded-pages.ts',
    text: 'for (const counter of COUNTERS) this.counts[counter] -= counts[counter];',
    replacement: 'for (const counter of Object.values(EXCLUDED_HOST)) this.counts[counter] -= counts[counter];',
    breaks: 'A page that was removed from its queue by the time limit and fetched nevertheless is counted twice.',
    specs: EXCLUDED,
  },
  {
    id: 'further-dry-for-ever',
    file: 'src/cycle/fetch/further-batches.ts',
    text: 'if (this.isDry && (fresh.length > 0 || (!closed && !this.taker.isIdle()))) {',
    replacement: 'if (this.isDry && fresh.length > 0) {',
    breaks:
      'A task without pages never fetches those of a host whose block is over, as long as other tasks fetch theirs.',
    specs: ['test/cycle/further-batches.spec.ts'],
  },
  {
    id: 'further-pause-of-any-round',
    file: 'src/cycle/fetch/further-batches.ts',
    text: 'this.maxPauseMs = Math.min(Math.max(MAX_PAUSE_ROUNDS * ms, MAX_PAUSE_MS.least), MAX_PAUSE_MS.most);',
    replacement: 'this.maxPauseMs = ms < 0 ? 0 : MAX_PAUSE_MS.most;',
    breaks: 'A host whose pages are found one at a time gets one in 16 s while others have pages.',
    specs: ['test/cycle/further-batches.spec.ts'],
  },
];
