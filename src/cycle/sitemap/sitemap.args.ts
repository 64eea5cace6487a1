import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import { FlagArg, NumberArg, SeedListName, StorePathArg } from '../arg-kinds.js';
import { Described } from '../arg-description.js';

const MAX_LISTED = 10_000;

const linesOf = (value: unknown): unknown => {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((word) => word !== '') : value;
};

/** A list that may be given as an array, or as a text with lines or commas. */
const ListArg = (description: string, example: string[]): PropertyDecorator =>
  applyDecorators(
    Described({ description, type: [String], example }),
    IsOptional(),
    Transform(({ value }) => linesOf(value)),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_LISTED),
    IsString({ each: true }),
    MaxLength(2_000, { each: true }),
  );

/** Arguments of SITEMAP. Without URLs and hosts: the sitemaps that the crawl knows, and those of all of its hosts. */
export class SitemapArgs {
  @ListArg('Sitemaps to read; an array, or a text with lines or commas.', ['https://site.test/sitemap.xml'])
  sitemapUrls?: string[];

  @SeedListName('Name of a stored seed list whose lines are sitemaps (1.x).', 'seedFiles/sitemaps')
  sitemapUrlDir?: string;

  @ListArg('Hosts whose robots.txt is asked for sitemaps; also origins such as https://site.test:8443.', ['site.test'])
  hosts?: string[];

  @SeedListName('Name of a stored seed list whose lines are hosts (1.x).', 'seedFiles/hosts')
  hostDir?: string;

  @NumberArg('Hosts asked at once. Default: fetcher.threads.fetch.', { min: 1, max: 1_000, example: 10 })
  threads?: number;

  @FlagArg('Entries may be anywhere. Default: the opposite of sitemap.strict.parsing.')
  noStrict?: boolean;

  @FlagArg('Nothing is filtered. Default: the opposite of sitemap.url.filter.')
  noFilter?: boolean;

  @FlagArg('Nothing is normalized. Default: the opposite of sitemap.url.normalize.')
  noNormalize?: boolean;

  @FlagArg('Read sitemaps again that have not changed since they were read last.')
  force?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;

  @StorePathArg('hostdb')
  hostdb?: string;
}
