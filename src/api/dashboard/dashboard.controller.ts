/**
 * Serves the dashboard at `/`. Its files contain no data, so they need no key (access.ts): the page asks its user for a key
 * and reads all that it shows from the API with that key.
 */
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Open } from '../access/access.guard.js';
import { routeUnknown } from '../problem.js';
import { type DashboardFile, dashboardFiles, START_FILE } from './dashboard-files.js';

/**
 * Only scripts of this server run, nothing inline and nothing from other origins; and no text of a crawled page can become
 * markup or script, because no Trusted Types policy can be created (W3C Trusted Types).
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

@ApiExcludeController()
@Controller()
export class DashboardController {
  private readonly files = dashboardFiles();

  @Get()
  @Open()
  start(@Req() request: Request, @Res() response: Response): void {
    this.answer(START_FILE, request, response);
  }

  @Get('dashboard/:file')
  @Open()
  file(@Param('file') name: string, @Req() request: Request, @Res() response: Response): void {
    this.answer(name, request, response);
  }

  private answer(name: string, request: Request, response: Response): void {
    const file = this.files.get(name);
    if (file === undefined) throw routeUnknown(request.method, request.path);
    response.setHeader('Content-Security-Policy', policy);
    // Cached, but revalidated at each use: after an update no browser mixes old and new files.
    response.setHeader('Cache-Control', 'private, no-cache');
    response.setHeader('ETag', file.etag);
    response.setHeader('Vary', 'Accept-Encoding');
    if (isFresh(request, file)) {
      response.writeHead(304).end();
      return;
    }
    const zipped = request.acceptsEncodings('gzip') !== false;
    if (zipped) response.setHeader('Content-Encoding', 'gzip');
    const bytes = zipped ? file.zipped : file.bytes;
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': bytes.length });
    response.end(bytes);
  }
}

/** RFC 9110 §13.1.2, weak comparison. */
function isFresh(request: Request, { etag }: DashboardFile): boolean {
  const bare = (tag: string) => tag.trim().replace(/^W\//, '');
  const tags = request.headers['if-none-match']?.split(',').map(bare);
  return tags?.some((tag) => tag === bare(etag) || tag === '*') ?? false;
}
