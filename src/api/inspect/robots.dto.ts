/** `POST /v1/inspect/robots`: evaluates a robots.txt without any request. */
import { IsOptional, IsString, Length } from 'class-validator';
import { Field, FieldOf, FieldOrNull, OptionalField } from '../openapi/fields.js';
import { InspectedLine, MAX_URL_IN_BODY } from './url.dto.js';

export class InspectRobots {
  @Field('A URL, or a path with its query.', 'http://example.org/private/a')
  @Length(1, MAX_URL_IN_BODY)
  @IsString()
  url!: string;

  @OptionalField(
    'The file as text. One of robotsTxt and robotsBase64 is required.',
    'User-agent: *\nDisallow: /private/\n',
  )
  @IsOptional()
  @IsString()
  robotsTxt?: string;

  @OptionalField('The bytes of the file in base64 (RFC 4648 §4): for other charsets.')
  @IsOptional()
  @IsString()
  robotsBase64?: string;

  @Field(
    "The crawler's product token (`orbweaver`); a version after a slash is ignored. Several, separated by commas, are combined, as http.agent.name and http.robots.agents are.",
    'orbweaver',
  )
  @Length(1, 1_000)
  @IsString()
  agent!: string;
}

/** Requests, of which each has the file in one form. */
export const robotsExamples = {
  text: {
    summary: 'The file as text',
    value: {
      url: 'http://example.org/private/a',
      robotsTxt: 'User-agent: *\nDisallow: /private/\n',
      agent: 'orbweaver',
    },
  },
  bytes: {
    summary: 'Its bytes in base64',
    value: {
      url: 'http://example.org/private/a',
      robotsBase64: 'VXNlci1hZ2VudDogKgpEaXNhbGxvdzogL3ByaXZhdGUvCg==',
      agent: 'orbweaver',
    },
  },
};

export class InspectedRobots {
  @Field('Whether the crawler may fetch the URL.', false)
  allowed!: boolean;

  @FieldOf(
    [String],
    'Names in the file whose groups are combined: those of this crawler, else `*`; empty: there is no group for it.',
    ['*'],
  )
  agents!: string[];

  @FieldOrNull(Number, 'Crawl-delay for this crawler, seconds.', null)
  crawlDelay!: number | null;

  @FieldOrNull(InspectedLine, 'The line that decided; null when no rule matches.')
  line!: InspectedLine | null;

  @FieldOf([String], 'Sitemap lines of the file, as written.', [])
  sitemaps!: string[];
}
