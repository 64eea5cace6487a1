import { IsBoolean, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { AsFlag, AsNumber, AsText, BATCH_ID, IsExpression, StorePath } from '../args.js';
import { Described } from '../described.js';

/** Largest moment that a clock may be set to: the year 9999, in ms since the epoch. */
const LAST_MS = 253_402_300_799_000;

/** Characters of a key at most. */
const MAX_KEY_LENGTH = 4_096;
/** A URL with a scheme, or the beginning of a row key. */
const URL_OR_KEY = /^(?:[a-z][a-z0-9+.-]*:\/\/.*|(?!.*:\/\/).*)$/is;

/** Arguments of GENERATE. */
export class GenerateArgs {
  static readonly names = [
    'topN',
    'batch',
    'curTime',
    'adddays',
    'notFetchedSince',
    'numFetchers',
    'maxNumSegments',
    'filter',
    'normalize',
    'noFilter',
    'noNorm',
    'force',
    'sitemap',
    'crawldb',
    'segment_dir',
    'segments_dir',
    'hostdb',
    'expr',
    'startKey',
    'endKey',
    'noScore',
    'freegen',
  ];

  @Described({
    description: 'Most pages selected, over all partitions and segments. Default: generate.topN, else no limit.',
    example: 50_000,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(0)
  @Max(1_000_000_000_000)
  topN?: number;

  @Described({
    description: 'Batch id to mark with; pages that it has stay in it. Default: `<epoch seconds>-<random>`.',
    example: '1763600000-1804289383',
  })
  @IsOptional()
  @AsText()
  @IsString()
  @Matches(BATCH_ID)
  batch?: string;

  @Described({
    description: 'The clock that says which pages are due, ms since the epoch. Default: now.',
    example: 1_763_600_000_000,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(0)
  @Max(LAST_MS)
  curTime?: number;

  @Described({ description: 'Days added to that clock.', example: 0 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(-36_500)
  @Max(36_500)
  adddays?: number;

  @Described({
    description:
      'Pages visited since this moment are left out, ms since the epoch; with a clock ahead each is visited once.',
    example: 1_763_600_000_000,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(0)
  @Max(LAST_MS)
  notFetchedSince?: number;

  @Described({
    description:
      'Partitions (1.x): each selects at most topN / numFetchers; a topN below their number limits all together. Default: mapreduce.job.reduces.',
    example: 1,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(-1)
  @Max(1_000)
  numFetchers?: number;

  @Described({
    description: 'Batches to make at most. topN counts over all of them, generate.max.count for each.',
    example: 1,
  })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(1_000)
  maxNumSegments?: number;

  @Described({ description: 'Filter URLs (2.x). Default: generate.filter.', example: true })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  filter?: boolean;

  @Described({ description: 'Normalize URLs (2.x). Default: generate.normalise.', example: true })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  normalize?: boolean;

  @Described({ description: 'Do not filter URLs (1.x).', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noFilter?: boolean;

  @Described({ description: 'Do not normalize URLs (1.x).', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noNorm?: boolean;

  @Described({ description: 'Do not wait for another GENERATE of the crawl.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  force?: boolean;

  @Described({ description: 'Select sitemaps instead of pages.', example: false })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  sitemap?: boolean;

  @Described({
    description:
      'Only pages of which this is true (1.x). Comparisons (== != < <= > >= =~ !~ =^ !^ =$ !$), + - * / %, && || ! and parentheses over url, host, domain, status, statusCode, score, fetchTime, modifiedTime (ms; or moments as 2026-01-31T00:00:00Z), fetchInterval (s), retries, distance, signature.',
    example: "score > 8 && status == 'db_unfetched'",
  })
  @IsOptional()
  @IsExpression()
  expr?: string;

  @Described({
    description: 'Only pages from this key on: a URL, or the beginning of a row key (`org.apache`).',
    example: 'http://site.test/',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_KEY_LENGTH)
  @Matches(URL_OR_KEY)
  startKey?: string;

  @Described({ description: 'Only pages up to this key, itself included.', example: 'http://site.test/z' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_KEY_LENGTH)
  @Matches(URL_OR_KEY)
  endKey?: string;

  @Described({
    description:
      'Scores are not looked at: due pages in the order of the table (by host, then key), up to topN. Favours its first hosts.',
    example: false,
  })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  noScore?: boolean;

  @Described({
    description:
      'A stored seed list, by name or as POST /seed/create answered it: the batch is made of its URLs, known or not, due or not, up to topN (freegen of 1.x). Those that are new become pages. A name of its own, because clients send the seeds of INJECT along with every later job.',
    example: 'seedFiles/seed-docs',
  })
  @IsOptional()
  @AsText()
  @IsString()
  @MaxLength(300)
  freegen?: string;

  @StorePath('crawldb')
  crawldb?: string;

  @StorePath('hostdb')
  hostdb?: string;
}
