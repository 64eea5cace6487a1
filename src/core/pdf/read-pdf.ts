/**
 * The parser of PDFs: text in the reading order of PDF.js, link targets, and the document information.
 *
 * It runs in the capped process only: a PDF can take any time and memory. Nothing is fetched for it (no fonts, no
 * character maps, no images decoded) and nothing in it is executed: PDF.js compiles no code, and scripts of the document
 * are ignored.
 */
import { parseDatetime } from '../w3c-datetime.js';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'unpdf/pdfjs';

export interface PdfInput {
  readonly content: Uint8Array;
  /** The URL of the document, against which relative links resolve. */
  readonly url: string;
  readonly maxPages: number;
  /** UTF-16 units of text. */
  readonly maxText: number;
  readonly maxLinks: number;
}

export interface PdfPage {
  readonly title: string;
  readonly text: string;
  /** Targets of link annotations, absolute, in page order, with duplicates. */
  readonly links: readonly string[];
  /** Under Tika's names: `dc:creator`, `dcterms:created`, `xmpTPg:NPages` … */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Maximum length of an entry of the document information. */
const MAX_ENTRY_LENGTH = 1_000;
const MAX_LINK_LENGTH = 8_192;

/**
 * Parses a PDF (ISO 32000).
 * @throws Error with the reason when it is encrypted or cannot be read
 */
export async function readPdf(input: PdfInput): Promise<PdfPage> {
  const loading = getDocument({
    data: new Uint8Array(input.content),
    docBaseUrl: input.url,
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    disableAutoFetch: true,
    maxImageSize: 0,
  });
  // Without a handler PDF.js would wait for a password forever.
  loading.onPassword = () => void loading.destroy().catch(() => undefined);
  try {
    const pdf = await loading.promise;
    return await pdfPage(pdf, input);
  } catch (error) {
    throw new Error(pdfFault(error), { cause: error });
  } finally {
    await loading.destroy().catch(() => undefined);
  }
}

function pdfFault(error: unknown): string {
  const { name = '', message = String(error) } = error instanceof Error ? error : {};
  if (name === 'PasswordException' || /destroyed/i.test(message)) return 'the PDF is encrypted with a password';
  return `the PDF cannot be read: ${message.slice(0, 200)}`;
}

async function pdfPage(pdf: PDFDocumentProxy, input: PdfInput): Promise<PdfPage> {
  const words = await entriesOf(pdf);
  const lines: string[] = [];
  const links: string[] = [];
  let fault: unknown;
  let left = input.maxText;
  const pages = Math.min(pdf.numPages, input.maxPages);
  for (let number = 1; number <= pages && (left > 0 || links.length < input.maxLinks); number += 1) {
    try {
      const page = await pdf.getPage(number);
      const text = left > 0 ? await textOfPage(page, left) : '';
      if (text !== '') lines.push(text);
      left -= text.length + 1;
      links.push(...(await linksOfPage(page, input.url)).slice(0, input.maxLinks - links.length));
      page.cleanup();
    } catch (error) {
      // Damaged files have single pages that cannot be read.
      fault ??= error;
    }
  }
  if (fault !== undefined && lines.length === 0 && links.length === 0) throw fault;
  return {
    title: words('Title'),
    text: lines.join('\n').slice(0, input.maxText),
    links,
    metadata: pdfMetadata(words, pdf),
  };
}

/** An entry of the document information by its name, else of the XMP metadata, which PDF 2.0 has instead; `''` for none. */
async function entriesOf(pdf: PDFDocumentProxy): Promise<(name: string) => string> {
  const { info, metadata } = await pdf.getMetadata();
  const fields = new Map(Object.entries(info as Record<string, unknown>));
  // Null for a PDF without XMP, unlike its type says.
  const xmp = metadata as Pick<typeof metadata, 'get'> | null;
  return (name) => {
    const entry = inOneLine(fields.get(name));
    const value = entry === '' ? (xmp?.get(XMP.get(name) ?? '') as unknown) : entry;
    return inOneLine(Array.isArray(value) ? value.join(', ') : value).slice(0, MAX_ENTRY_LENGTH);
  };
}

/** The lines of a page. PDF.js returns a line as one or several items, with blanks for gaps. */
async function textOfPage(page: PDFPageProxy, left: number): Promise<string> {
  const reader = page.streamTextContent({ disableNormalization: false }).getReader();
  let text = '';
  let next = await reader.read();
  for (; !next.done && text.length < left; next = await reader.read()) {
    for (const item of (next.value as { items: { str?: string; hasEOL?: boolean }[] }).items) {
      text += (item.str ?? '') + (item.hasEOL === true ? '\n' : '');
    }
  }
  // Without a reason PDF.js would not cancel, and wait for a reader forever.
  if (!next.done) await reader.cancel(new Error('no more text is kept')).catch(() => undefined);
  return tidy(text.slice(0, left));
}

/** Trims lines, removes control characters, and drops empty lines. */
function tidy(text: string): string {
  const lines = text.split('\n').map((line) => inOneLine(line));
  return lines.filter((line) => line !== '').join('\n');
}

async function linksOfPage(page: PDFPageProxy, base: string): Promise<string[]> {
  const annotations = (await page.getAnnotations({ intent: 'display' })) as { url?: unknown; unsafeUrl?: unknown }[];
  return annotations.flatMap(({ url, unsafeUrl }) => {
    // PDF.js resolves `url`, adds the scheme to `www.`, and decodes UTF-8; it is absent for schemes besides web and mail.
    const href = typeof url === 'string' ? url : unsafeUrl;
    if (typeof href !== 'string' || href.length > MAX_LINK_LENGTH) return [];
    const target = URL.parse(href.trim(), base)?.href;
    return target === undefined ? [] : [target];
  });
}

/** Tika's names of the entries of the document information dictionary (ISO 32000-1, table 317). */
const ENTRIES: readonly (readonly [name: string, entry: string])[] = [
  ['dc:title', 'Title'],
  ['dc:creator', 'Author'],
  ['dc:subject', 'Subject'],
  ['meta:keyword', 'Keywords'],
  ['xmp:CreatorTool', 'Creator'],
  ['pdf:producer', 'Producer'],
  ['pdf:PDFVersion', 'PDFFormatVersion'],
  ['dc:language', 'Language'],
];

/** The names of these entries in XMP (ISO 16684-1, 8), in lower case. */
const XMP: ReadonlyMap<string, string> = new Map([
  ['Title', 'dc:title'],
  ['Author', 'dc:creator'],
  ['Subject', 'dc:description'],
  ['Keywords', 'pdf:keywords'],
  ['Creator', 'xmp:creatortool'],
  ['Producer', 'pdf:producer'],
  ['CreationDate', 'xmp:createdate'],
  ['ModDate', 'xmp:modifydate'],
]);

function pdfMetadata(words: (name: string) => string, pdf: PDFDocumentProxy): Record<string, string> {
  const entries = ENTRIES.map(([name, entry]) => [name, words(entry)] as const);
  const dates = [
    ['dcterms:created', isoDate(words('CreationDate'))],
    ['dcterms:modified', isoDate(words('ModDate'))],
  ] as const;
  const pages = ['xmpTPg:NPages', String(pdf.numPages)] as const;
  return Object.fromEntries([...entries, ...dates, pages].filter(([, value]) => value !== ''));
}

/** One line of text: white space and control characters between words become one blank. */
const inOneLine = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim() : '';

const DATE = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/;

/**
 * A PDF date (ISO 32000-1, 7.9.4: `D:YYYYMMDDHHmmSSOHH'mm`), or one of XMP, as ISO 8601 in UTC; `''` for anything else.
 */
export function isoDate(text: string): string {
  const match = DATE.exec(text);
  if (match === null) return isoText(/^\d{4}-/.test(text) ? parseDatetime(text) : null);
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    hours = '00',
    minutes = '00',
  ] = match;
  const zone = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
  return isoText(parseDatetime(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`));
}

const isoText = (time: number | null): string => (time === null ? '' : new Date(time).toISOString());
