/**
 * Small PDFs made by hand (ISO 32000-1), so that tests need no files of others and can make the ones that nobody would
 * publish: strings in several encodings, links, object streams, encryption, bombs.
 */
import { constants, deflateRawSync, deflateSync } from 'node:zlib';

export interface PdfPageContent {
  /** Content stream operators (ISO 32000-1, 9.4): `BT /F1 12 Tf 72 720 Td (words) Tj ET`. */
  readonly operators: string | Buffer;
  /** The content stream as a whole object, instead of one made of the operators. */
  readonly contents?: string;
  /** Targets of link annotations. */
  readonly links?: readonly string[];
}

export interface PdfOptions {
  /** Entries of the information dictionary, written as they are: `(text)`, `<FEFF...>`. */
  readonly info?: Readonly<Record<string, string>>;
  /** Objects that are no streams go into one compressed object stream, with a compressed cross-reference stream. */
  readonly objectStream?: boolean;
  /** Name of a file trailer entry as it is written, such as `/Encrypt 9 0 R`. */
  readonly trailer?: string;
  /** Further objects, numbered after those that are made here. */
  readonly more?: readonly string[];
}

interface PdfObject {
  readonly number: number;
  readonly body: Buffer;
  readonly isStream: boolean;
}

/** Fonts: F1 in WinAnsi, F2 with two-byte codes and a character map to Unicode. */
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

/** One line of text per page, WinAnsi. */
export const lines = (...texts: readonly string[]): PdfPageContent => ({
  operators: `BT /F1 12 Tf 14 TL 72 720 Td ${texts.map((text) => `(${text.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`).join(' ')} ET`,
});

/** A PDF of some pages. */
export function makePdf(pages: readonly PdfPageContent[], options: PdfOptions = {}): Buffer {
  const objects: PdfObject[] = [];
  const add = (body: string | Buffer, isStream = false): number => {
    objects.push({ number: objects.length + 1, body: Buffer.from(body as string, 'latin1'), isStream });
    return objects.length;
  };
  const stream = (entries: string, data: Buffer): number => {
    const packed = deflateSync(data);
    const head = `<< ${entries} /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
    return add(Buffer.concat([Buffer.from(head, 'latin1'), packed, Buffer.from('\nendstream')]), true);
  };
  // Numbers 1 (catalog) and 2 (page tree) are known before they are written.
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add('');
  const font = add(FONT);
  const unicode = add(compositeFont(objects.length + 2, objects.length + 3));
  add(
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor ' +
      `${objects.length + 3} 0 R /DW 1000 >>`,
  );
  stream('', Buffer.from(TO_UNICODE));
  add(
    '<< /Type /FontDescriptor /FontName /Some /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>',
  );
  const kids = pages.map(({ operators, contents, links = [] }) => {
    const content =
      contents === undefined ? stream('', Buffer.from(operators as string, 'latin1')) : add(contents, true);
    const annotations = links.map((url) =>
      add(
        `<< /Type /Annot /Subtype /Link /Rect [72 700 200 720] /A << /S /URI /URI (${url.replaceAll(/[()\\]/g, '\\$&')}) >> >>`,
      ),
    );
    return add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Annots [${annotations.map((n) => `${n} 0 R`).join(' ')}]
       /Resources << /Font << /F1 ${font} 0 R /F2 ${unicode} 0 R >> >> >>`,
    );
  });
  objects[1] = {
    number: 2,
    isStream: false,
    body: Buffer.from(`<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((n) => `${n} 0 R`).join(' ')}] >>`),
  };
  for (const body of options.more ?? []) add(body);
  const info = add(
    `<< ${Object.entries(options.info ?? {})
      .map(([name, value]) => `/${name} ${value}`)
      .join(' ')} >>`,
  );
  const trailer = `/Root 1 0 R /Info ${info} 0 R ${options.trailer ?? ''}`;
  return options.objectStream === true ? packed(objects, trailer) : plain(objects, trailer);
}

const compositeFont = (descendant: number, map: number): string =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${map} 0 R >>`;

/** Codes 0001 to 0004 are the characters of "Straße" that are not ASCII, a Greek and a Chinese one. */
const TO_UNICODE = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Some def 1 begincodespacerange <0000> <FFFF> endcodespacerange
4 beginbfchar <0001> <00DF> <0002> <03A9> <0003> <4E2D> <0004> <6587> endbfchar endcmap end end`;

function plain(objects: readonly PdfObject[], trailer: string): Buffer {
  const file = new PdfFile();
  const offsets = objects.map((object) => file.object(object));
  const at = file.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  file.write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`);
  file.write(`trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${at}\n%%EOF\n`);
  return file.bytes();
}

/** ISO 32000-1, 7.5.7 and 7.5.8. */
function packed(objects: readonly PdfObject[], trailer: string): Buffer {
  const file = new PdfFile();
  const inside = objects.filter(({ isStream }) => !isStream);
  const holder = objects.length + 1;
  const bodies = inside.map(({ body }) => `${body.toString('latin1')} `);
  let offset = 0;
  const index = inside.map(({ number }, i) => `${number} ${(offset += i === 0 ? 0 : bodies[i - 1]!.length)} `).join('');
  const data = deflateSync(Buffer.from(index + bodies.join(''), 'latin1'));
  const places = new Map(
    objects.filter(({ isStream }) => isStream).map((object) => [object.number, file.object(object)]),
  );
  const holderAt = file.stream(holder, `/Type /ObjStm /N ${inside.length} /First ${index.length}`, data);
  const rows = [
    [0, 0, 65535],
    ...objects.map(({ number, isStream }) =>
      isStream ? [1, places.get(number)!, 0] : [2, holder, inside.findIndex((o) => o.number === number)],
    ),
  ];
  const at = file.length;
  rows.push([1, holderAt, 0], [1, at, 0]);
  const table = Buffer.from(
    rows.flatMap(([kind = 0, a = 0, b = 0]) => [
      kind,
      (a >> 16) & 255,
      (a >> 8) & 255,
      a & 255,
      (b >> 8) & 255,
      b & 255,
    ]),
  );
  file.stream(holder + 1, `/Type /XRef /Size ${holder + 2} /W [1 3 2] ${trailer}`, deflateSync(table));
  file.write(`startxref\n${at}\n%%EOF\n`);
  return file.bytes();
}

/** A PDF of these objects as they are, the first of them the catalog. A stream is given whole, with its dictionary. */
export const pdfOf = (bodies: readonly string[], trailer = ''): Buffer =>
  plain(
    bodies.map((body, i) => ({
      number: i + 1,
      body: Buffer.from(body, 'latin1'),
      isStream: body.includes('stream\n'),
    })),
    `/Root 1 0 R ${trailer}`,
  );

/** A stream object, not compressed. */
export const pdfStream = (entries: string, content: string): string =>
  `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;

class PdfFile {
  private readonly parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];

  get length(): number {
    return this.parts.reduce((sum, part) => sum + part.length, 0);
  }

  write(text: string): void {
    this.parts.push(Buffer.from(text, 'latin1'));
  }

  /** Answers the offset of the object. */
  object({ number, body }: PdfObject): number {
    const at = this.length;
    this.write(`${number} 0 obj\n`);
    this.parts.push(body);
    this.write('\nendobj\n');
    return at;
  }

  stream(number: number, entries: string, data: Buffer): number {
    const at = this.length;
    this.write(`${number} 0 obj\n<< ${entries} /Length ${data.length} /Filter /FlateDecode >>\nstream\n`);
    this.parts.push(data);
    this.write('\nendstream\nendobj\n');
    return at;
  }

  bytes(): Buffer {
    return Buffer.concat(this.parts);
  }
}

/** A PDF that asks for a password (ISO 32000-1, 7.6.3): its keys open with none that is known. */
export function encryptedPdf(): Buffer {
  const key = `<${'5a'.repeat(32)}>`;
  const entry = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O ${key} /U ${key} >>`;
  return makePdf([lines('secret')], {
    trailer: `${entry} /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]`,
  });
}

/** 512 MiB of blanks, compressed as one MiB is, again and again; without the checksum at the end, which readers of PDF ignore. */
function compressedBlanks(): Buffer {
  const piece = deflateRawSync(Buffer.alloc(1_048_576, ' '), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const header = Buffer.from([0x78, 0xda]);
  return Buffer.concat([header, ...Array<Buffer>(512).fill(piece), deflateRawSync(Buffer.alloc(0))]);
}

/** A few kilobytes that decompress to half a gigabyte: a page whose content is blanks, compressed twice. */
export function bombPdf(): Buffer {
  const once = compressedBlanks();
  const twice = deflateSync(once, { level: 9 });
  const content = `<< /Length ${twice.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${twice.toString('latin1')}\nendstream`;
  return makePdf([{ ...lines(''), contents: content }]);
}
