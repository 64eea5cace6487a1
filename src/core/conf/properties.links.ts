import { COMPARE_ORDER, GROUP_MODES } from '../page/duplicates.js';
import { MAX_DISTANCE } from '../page/simhash.js';
import { choice, flag, int, list } from './property.js';

/** Properties of the jobs that work on links and equal contents (Nutch `linkdb.*`, `deduplication.*`). */
export const linkProperties = {
  'deduplication.compare.order': list(
    ['score', 'fetchTime', 'urlLength'],
    'Which page of equal content stays: the higher score, the later fetch time, https over http, the shorter URL.',
    ',',
    COMPARE_ORDER,
  ),
  'deduplication.group.mode': choice(
    'none',
    'Where pages of equal content are duplicates: anywhere, on one host, in one domain.',
    GROUP_MODES,
  ),
  'deduplication.simhash.distance': int(
    3,
    'Bits in which the signatures of near duplicates differ at most; for pages with SimHashSignature only. 0: equal only.',
    { max: MAX_DISTANCE, unit: 'bits' },
  ),
  'linkdb.ignore.external.links': flag(false, 'INVERTLINKS leaves out links to other hosts.'),
  'linkdb.ignore.internal.links': flag(true, 'INVERTLINKS leaves out links inside a host.'),
  'linkdb.max.anchor.length': int(
    100,
    'INVERTLINKS cuts anchor texts to this length. Above db.max.anchor.length, to which they were cut when their pages were parsed, it changes nothing.',
    { max: 10_000, unit: 'characters' },
  ),
  'linkdb.max.inlinks': int(10_000, 'Inlinks of a page that INVERTLINKS keeps; the best-scored stay.', {
    max: 1_000_000,
  }),
};
