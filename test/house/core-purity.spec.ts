import { describe, expect, it } from 'vitest';
import { complaintsOf } from './planted.js';

describe('the purity of core', () => {
  it.each([
    [`import { Injectable } from '@nestjs/common';`, '@nestjs/common'],
    [`import { Entity } from 'typeorm';`, 'typeorm'],
    [`import pg from 'pg';`, 'pg'],
    [`import type { Pool } from 'pg';`, 'pg'],
    [`import axios from 'axios';`, 'axios'],
    [`import { fetch as get } from 'undici';`, 'undici'],
    [`import pino from 'pino';`, 'pino'],
    [`import 'reflect-metadata';`, 'reflect-metadata'],
    [`export { pino } from 'pino';`, 'pino'],
    [`export * from 'pino';`, 'pino'],
    [`export const p = () => import('pino');`, 'pino'],
    ['export const p = () => import(`pino`);', 'pino'],
    ['export const p = (name: string) => import(name);', 'import(…)'],
    [`export type P = import('pino').Logger;`, 'pino'],
    [`import pino = require('pino');`, 'pino'],
    [`import { getDocument } from 'unpdf';`, 'unpdf'],
    [`import { connect } from 'node:net';`, 'connect of node:net'],
    [`import { get } from 'node:http';`, 'node:http'],
    [`import { readFile } from 'node:fs/promises';`, 'node:fs/promises'],
    [`import { readFileSync } from 'fs';`, 'fs'],
    [`import { hash } from 'crypto';`, 'crypto'],
    [`import { createRequire } from 'node:module';`, 'node:module'],
    [`import { randomInt } from 'node:crypto';`, 'randomInt of node:crypto'],
    [`import { hash, randomUUID as hashOf } from 'node:crypto';`, 'randomUUID of node:crypto'],
    [`import random from 'node:crypto';`, 'default of node:crypto'],
    [`import * as random from 'node:crypto';`, '* of node:crypto'],
    [`export * from 'node:crypto';`, '* of node:crypto'],
    [`export { randomInt } from 'node:crypto';`, 'randomInt of node:crypto'],
    [`export const r = () => import('node:crypto');`, '* of node:crypto'],
  ])('refuses %s', (text, what) => {
    expect(complaintsOf({ 'src/core/a.ts': `${text} export const x = 1;` })).toEqual([
      `src/core/a.ts:1: core is pure, ${what} belongs to another layer`,
    ]);
  });

  it.each([
    ['export const t = Date.now();', 'Date.now()'],
    [`export const t = Date['now']();`, `Date['now']()`],
    ['export const t = Date?.now();', 'Date?.now()'],
    ['const { now } = Date; export const t = now();', 'Date'],
    ['const Clock = Date; export const t = new Clock();', 'Date'],
    ['export const t = (Date).now();', 'Date'],
    ['export class Clock extends Date {}', 'Date'],
    ['export const o = { Date };', 'Date'],
    ['export const t = Date();', 'Date()'],
    ['export const t = new Date();', 'new Date()'],
    ['export const t = new Date;', 'new Date()'],
    ['export const t = new Date(...[]);', 'new Date()'],
    ['export const t = Temporal.Now.instant();', 'Temporal.Now'],
    ['export const t = performance.now();', 'performance.now()'],
    [`export const t = performance['now']();`, `performance['now']()`],
    ['const { now } = performance; export const t = now();', 'performance'],
    ['export const t = new Intl.DateTimeFormat().format();', 'new Intl.DateTimeFormat()'],
    ['export const r = Math.random();', 'Math.random()'],
    [`export const r = Math['random']();`, `Math['random']()`],
    ['const { random } = Math; export const r = random();', 'Math'],
    ['export const r = globalThis.Math.random();', 'globalThis.Math'],
    ['export const r = crypto.randomUUID();', 'crypto.randomUUID()'],
    ['export const p = process.env.PORT;', 'process.env'],
    [`export const p = process['env'];`, `process['env']`],
    ['const { env } = process; export const p = env;', 'process'],
    ['export const p = globalThis.process.env;', 'globalThis.process'],
    ['export const p = import.meta.url;', 'import.meta'],
    [`export const p = require('node:os');`, 'require()'],
    [`export const p = eval('Date.now()');`, 'eval()'],
    [`export const p = new Function('return Date.now()');`, 'new Function()'],
    ['export const p = fetch("http://a.test");', 'fetch()'],
    ['setTimeout(() => undefined, 1); export const p = 1;', 'setTimeout()'],
  ])('refuses %s', (text, what) => {
    expect(complaintsOf({ 'src/core/a.ts': text })).toEqual([
      `src/core/a.ts:1: core is pure, ${what} belongs to another layer`,
    ]);
  });

  it.each([
    `import { hash } from 'node:crypto';`,
    `import zlib, { crc32, type ZlibOptions } from 'node:zlib';`,
    `import type { Zlib } from 'node:zlib';`,
    `import { JSDOM } from 'jsdom';`,
    `import { stemmer } from '@orama/stemmers/german';`,
    `export const words = new Intl.Segmenter('en', { granularity: 'word' });`,
    `export const code = new Intl.Locale('eng').language;`,
    'export const t = new Date(0);',
    'export const t = Date.parse("2026-01-01") + Date.UTC(2026, 0);',
    'export const m = Math.max(1, 2);',
    'export interface Visit { fetch: Date; performance?: number; process(): void }',
    'export const o = { process: 1, fetch: 2 }; export const p = o.process + o.fetch;',
    'export const of = ({ fetch: visit }: { fetch: number }) => visit;',
    'export type Clock = typeof Date;',
    '// Date.now() is not asked here',
  ])('allows %s', (text) => {
    expect(complaintsOf({ 'src/core/a.ts': `${text} export const x = 1;` })).toEqual([]);
  });

  it('asks this of core alone', () => {
    expect(complaintsOf({ 'src/net/a.ts': `import 'undici'; export const t = Date.now();` })).toEqual([]);
  });
});
