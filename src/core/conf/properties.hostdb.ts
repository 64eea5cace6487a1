import { DAY_MS } from '../day.js';
import { flag, int, list } from './property.js';

/** Properties of HOSTDB (Nutch 1.x `hostdb.*`). */
export const hostdbProperties = {
  'hostdb.check.failed': flag(true, 'HOSTDB resolves hosts again that could not be resolved before.'),
  'hostdb.check.known': flag(true, 'HOSTDB resolves hosts again that were resolved before.'),
  'hostdb.check.new': flag(true, 'HOSTDB resolves hosts that it has not resolved yet.'),
  'hostdb.force.check': flag(false, 'HOSTDB resolves hosts whatever the age of what is known.'),
  'hostdb.num.resolvers.threads': int(
    25,
    'Hosts resolved at once; all jobs of a worker process together resolve four at most.',
    { min: 1, max: 500 },
  ),
  'hostdb.numeric.fields': list(
    ['_rs_'],
    'Numbers summed up per host: _rs_ (response time), score, fetchInterval, or keys of the metadata of pages.',
  ),
  'hostdb.percentiles': list(['50', '75', '95', '99'], 'Percentiles kept of each numeric field, from 0 to 100.'),
  'hostdb.purge.failed.hosts.threshold': int(
    3,
    'Resolutions that failed in a row after which a host without pages is forgotten. -1: never.',
    { min: -1, max: 32_767 },
  ),
  'hostdb.recheck.interval': int(DAY_MS, 'Age after which a host is resolved again.', {
    max: 31_536_000_000,
    unit: 'ms',
  }),
  'hostdb.string.fields': list(
    ['Content-Type'],
    'Texts counted per host: Content-Type, status, or keys of the metadata of pages.',
  ),
  'hostdb.url.filter': flag(false, 'Leave out hosts whose home page the URL filters refuse.'),
  'hostdb.url.normalize': flag(false, 'Normalize the home pages of hosts before they are filtered.'),
};
