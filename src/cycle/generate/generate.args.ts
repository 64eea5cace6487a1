/** The arguments of GENERATE: those of Nutch's Generator under its names, and our own, which limit it to a part of the table. */
import { applyDecorators } from '@nestjs/common';
import { IsOptional, IsString, MaxLength, ValidateBy } from 'class-validator';
import { isKeyBound } from '../../core/url/key-range.js';
import { FlagArg, IsExpression, LongArg, NewBatchArg, NumberArg, StorePathArg, TextArg } from '../arg-kinds.js';
import { Described } from '../arg-description.js';

/** The last time that a clock may be set to: the year 9999, in ms since the epoch. */
const LAST_MS = 253_402_300_799_000;

/** Maximum length of a key. */
const MAX_KEY_LENGTH = 4_096;

const IsKeyBound = (): PropertyDecorator =>
  ValidateBy({
    name: 'isKeyBound',
    validator: {
      validate: (value) => typeof value === 'string' && isKeyBound(value),
      defaultMessage: () =>
        '$property must be a URL such as http://site.test/, or a row key or the beginning of one such as test.site:http/',
    },
  });

const KeyArg = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    IsKeyBound(),
    MaxLength(MAX_KEY_LENGTH),
    IsString(),
    IsOptional(),
    Described({ description, example }),
  );

export class GenerateArgs {
  static readonly names = ['segment_dir', 'segments_dir'];

  @LongArg('Most pages selected, over all partitions and segments; -1: no limit. Default: generate.topN.', {
    min: -1,
    max: 1_000_000_000_000,
    example: 50_000,
  })
  topN?: number;

  @NewBatchArg('Batch id to mark with; pages that it has stay in it. Default: `<epoch seconds>-<random>`.')
  batch?: string;

  @LongArg('The clock that says which pages are due, ms since the epoch. Default: now.', {
    min: 0,
    max: LAST_MS,
    example: 1_763_600_000_000,
  })
  curTime?: number;

  @NumberArg('Days added to that clock.', { min: -36_500, max: 36_500, example: 0 })
  adddays?: number;

  @NumberArg(
    'Pages visited since this moment are left out, ms since the epoch; with a clock ahead each is visited once.',
    { min: 0, max: LAST_MS, example: 1_763_600_000_000 },
  )
  notFetchedSince?: number;

  @NumberArg(
    'Partitions (1.x): each selects at most topN / numFetchers; a topN below their number limits all together. Default: mapreduce.job.reduces.',
    { min: -1, max: 1_000, example: 1 },
  )
  numFetchers?: number;

  @NumberArg(
    'Batches to make at most. topN counts over all of them (generate.topN.per.segment: for each), generate.max.count for each.',
    {
      min: 1,
      max: 1_000,
      example: 1,
    },
  )
  maxNumSegments?: number;

  @FlagArg('Filter URLs (2.x). Default: generate.filter.', true)
  filter?: boolean;

  @FlagArg('Normalize URLs (2.x). Default: generate.normalise.', true)
  normalize?: boolean;

  @FlagArg('Do not filter URLs (1.x). Default: the opposite of generate.filter.')
  noFilter?: boolean;

  @FlagArg('Do not normalize URLs (1.x). Default: the opposite of generate.normalise.')
  noNorm?: boolean;

  @FlagArg('Do not wait for another GENERATE of the crawl.')
  force?: boolean;

  @FlagArg('Select sitemaps instead of pages.')
  sitemap?: boolean;

  @Described({
    description:
      'Only pages of which this is true (1.x). Comparisons (== != < <= > >= =~ !~ =^ !^ =$ !$), + - * / %, && || ! and parentheses over url, host, domain, status, statusCode, score, fetchTime, modifiedTime (ms; or moments as 2026-01-31T00:00:00Z), fetchInterval (s), retries, distance, signature.',
    example: "score > 8 && status == 'db_unfetched'",
  })
  @IsOptional()
  @IsExpression()
  expr?: string;

  @KeyArg('Only pages from this key on: a URL, or the beginning of a row key (`org.apache`).', 'http://site.test/')
  startKey?: string;

  @KeyArg('Only pages up to this key, itself included.', 'http://site.test/z')
  endKey?: string;

  @FlagArg(
    'Scores are not looked at: due pages in the order of the table (by host, then key), up to topN. Favours its first hosts.',
  )
  noScore?: boolean;

  @TextArg(
    'A stored seed list, by name or as POST /seed/create answered it: the batch is made of its URLs, known or not, due or not, up to topN (freegen of 1.x). Those that are new become pages. Only topN and the URL rules apply. A name of its own, because clients send the seeds of INJECT along with every later job; in a crawl without pages `seedDir` means the same.',
    'seedFiles/seed-docs',
  )
  @MaxLength(300)
  freegen?: string;

  @StorePathArg('crawldb')
  crawldb?: string;

  @StorePathArg('hostdb')
  hostdb?: string;
}
