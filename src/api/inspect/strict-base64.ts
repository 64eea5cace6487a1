import { fieldsInvalid, shown, withOptions } from '../problem.js';

/** The bytes of a field in base64, padded and without anything else (RFC 4648 section 4). Throws FIELDS_INVALID. */
export function bytesOfBase64(field: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  // Node skips what is no base64 and takes other alphabets: what it wrote back tells.
  if (bytes.toString('base64') === text) return bytes;
  const at = /[^A-Za-z0-9+/=]/.exec(text)?.index;
  const why = at === undefined ? 'its padding or its last bits are wrong' : `character ${at + 1} is ${shown(text[at])}`;
  const message = `${field} must be base64 (A-Z a-z 0-9 + /, padded with =): ${why} (given: ${shown(text.slice(0, 40))})`;
  throw withOptions(fieldsInvalid(`${message}.`), { errors: [{ field, message }] });
}
