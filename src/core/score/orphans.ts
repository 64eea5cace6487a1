import { PAGE_STATUS, type PageStatus } from '../page/page-status.js';
import type { OrphanLimits } from './scoring.js';

/**
 * What becomes of a page that no page of the last batches has linked to (Nutch 1.x `OrphanScoringFilter`): gone, later an
 * orphan; null: nothing. UPDATEDB asks the same of whole sets (orphan-pages.sql.ts).
 */
export function orphanStatus(secondsSinceInlink: number, limits: OrphanLimits): PageStatus | null {
  if (secondsSinceInlink > limits.orphanAfter) return PAGE_STATUS.orphan;
  return secondsSinceInlink > limits.goneAfter ? PAGE_STATUS.gone : null;
}
