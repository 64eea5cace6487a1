/**
 * Memory budget for the sitemaps that a process reads concurrently: one document of the largest size that sitemaps.org
 * allows, and some smaller ones. Fifty kilobytes of gzip decompress to fifty mebibytes, and each host being read has a
 * document of its own: without a common bound they would add up until the worker dies, with all its tasks.
 */
import { MemoryBudget } from '../../core/queueing/memory-budget.js';
import { SITEMAP_MAX_BYTES } from '../../core/sitemap/sitemap-document.js';

export const documentBudget = new MemoryBudget(SITEMAP_MAX_BYTES * 1.25);
