import { describe, expect } from 'vitest';
import { encodingOfLabel } from '../../src/core/html/charset.js';
import { typeOfDocument } from '../../src/core/page/content-type.js';
import { parseMimeType } from '../../src/core/page/mime.js';
import { groupOf, suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { serializeMimeType } from '../support/serialize-mime.js';

interface MimeCase {
  id: string;
  input: string;
  output: string | null;
  encoding?: string | null;
}

describe('web-platform-tests: MIME types (WHATWG MIME Sniffing 4.4, 4.5)', () => {
  eachCase(suiteOf<MimeCase>('mime', 'wpt-mime-types'))('$id: $input is $output', ({ input, output, encoding }) => {
    const mime = parseMimeType(input);
    expect(mime === null ? null : serializeMimeType(mime)).toBe(output);
    if (encoding === undefined) return;
    expect(encodingOfLabel(mime?.parameters.get('charset') ?? '')).toBe(encoding?.toLowerCase() ?? null);
  });
});

interface TypeCase {
  n: number;
  name: string;
  header: string;
  magic: boolean;
  type: string;
}

const documents: Readonly<Record<string, string>> = {
  'test.html': '<!DOCTYPE html>\n<html><head><title>t</title></head></html>',
  'test.doc': 'This is plain text.\n',
  'test.xlsx': 'PK\u0003\u0004\u0014\0\u0006\0',
};

describe('Nutch MimeUtil: type of a document', () => {
  eachCase(groupOf<TypeCase>('mime').cases)('case $n: $name with header "$header" is $type', (one) => {
    const content = one.magic ? Buffer.from(documents[one.name] ?? '', 'latin1') : null;
    expect(typeOfDocument({ contentType: one.header, name: one.name, content })).toBe(one.type);
  });
});
