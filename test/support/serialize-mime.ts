import { type MimeType, essence } from '../../src/core/page/mime.js';

const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Writes a media type as the cases of others do (WHATWG MIME Sniffing §4.5 "serialize a MIME type"). */
export function serializeMimeType(mime: MimeType): string {
  let text = essence(mime);
  for (const [name, value] of mime.parameters) {
    text += `;${name}=${HTTP_TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
  }
  return text;
}
