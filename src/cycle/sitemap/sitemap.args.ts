import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { AsFlag, AsNumber, AsText, StorePath } from '../args.js';
import { Described } from '../described.js';

const MAX_LISTED = 10_000;

const linesOf = (given: unknown): unknown => {
  if (given === null || given === undefined) return undefined;
  return typeof given === 'string' ? given.split(/[\s,]+/).filter((word) => word !== '') : given;
};

/** A list that may come as an array, or as a text with lines or commas. */
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

const FlagArg = (description: string): PropertyDecorator =>
  applyDecorators(Described({ description, example: false }), IsOptional(), AsFlag(), IsBoolean());

const SeedListArg = (description: string, example: string): PropertyDecorator =>
  applyDecorators(Described({ description, example }), IsOptional(), AsText(), IsString(), MaxLength(300));

/** Arguments of SITEMAP. Without URLs and hosts: the sitemaps that the crawl knows, and those of all of its hosts. */
export class SitemapArgs {
  static readonly names = [
    'sitemapUrls',
    'sitemapUrlDir',
    'hosts',
    'hostDir',
    'threads',
    'noStrict',
    'noFilter',
    'noNormalize',
    'force',
    'crawldb',
    'hostdb',
  ];

  @ListArg('Sitemaps to read; an array, or a text with lines or commas.', ['https://site.test/sitemap.xml'])
  sitemapUrls?: string[];

  @SeedListArg('Name of a stored seed list whose lines are sitemaps (1.x).', 'seedFiles/sitemaps')
  sitemapUrlDir?: string;

  @ListArg('Hosts whose robots.txt is asked for sitemaps; also origins such as https://site.test:8443.', ['site.test'])
  hosts?: string[];

  @SeedListArg('Name of a stored seed list whose lines are hosts (1.x).', 'seedFiles/hosts')
  hostDir?: string;

  @Described({ description: 'Hosts asked at once. Default: fetcher.threads.fetch.', example: 10 })
  @IsOptional()
  @AsNumber()
  @IsInt()
  @Min(1)
  @Max(1_000)
  threads?: number;

  @FlagArg('Entries may stand anywhere (sitemap.strict.parsing).')
  noStrict?: boolean;

  @FlagArg('Nothing is filtered (sitemap.url.filter).')
  noFilter?: boolean;

  @FlagArg('Nothing is normalized (sitemap.url.normalize).')
  noNormalize?: boolean;

  @FlagArg('Read sitemaps again that have not changed since they were read last.')
  force?: boolean;

  @StorePath('crawldb')
  crawldb?: string;

  @StorePath('hostdb')
  hostdb?: string;
}
