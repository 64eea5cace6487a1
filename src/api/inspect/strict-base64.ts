import { shown } from '../problem.js';
import { valueRefused } from '../refused-fields.js';

/** Decodes a field in base64, padded and without other characters (RFC 4648 §4). Throws FIELDS_INVALID. */
export function bytesOfBase64(field: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // Node skips invalid characters and accepts other alphabets, so the bytes are encoded again and compared.
  if (bytes.toString('base64') === text) return bytes;
  const at = /[^A-Za-z0-9+/=]/.exec(text)?.index;
  const why = at === undefined ? 'its padding or its last bits are wrong' : `character ${at + 1} is ${shown(text[at])}`;
  throw valueRefused(field, text.slice(0, 40), `base64 (A-Z a-z 0-9 + /, padded with =): ${why}`);
}
