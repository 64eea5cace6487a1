import type { PageDto } from '../../../clients/typescript/src/generated/schemas.js';

/** Pages as a table of text: the status of each, and its title or target. */
export function pageTable(pages: readonly PageDto[]): string {
  const rows = pages.map((page) => [page.status, String(page.httpStatus ?? '-'), page.url, outcomeWords(page)]);
  const lines = [['status', 'http', 'url', 'title, target or reason'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function outcomeWords({ title, redirectUrl, protocolStatus, httpStatus, truncated }: PageDto): string {
  const cut = truncated ? ` (content cut: ${truncated})` : '';
  if (redirectUrl) return `→ ${redirectUrl}`;
  if (httpStatus === 200 && title) return title + cut;
  return [protocolStatus?.name, ...(protocolStatus?.args ?? [])].filter(Boolean).join(' ') + cut;
}
