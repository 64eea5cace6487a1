/**
 * Decoders of the WHATWG Encoding Standard.
 *
 * Some versions of Node decode windows-1252 as Latin-1 (nodejs/node#56542, #60888): quotes, dashes and the euro sign
 * become control characters. A check at load time finds out; there is no overhead where Node is correct.
 *
 * Node has the encodings of East Asia from ICU, which lacks 8,800 syllables of Korean and 5,000 characters of Hong Kong that
 * the standard has. Those encodings are decoded by another implementation of the standard.
 */
import { TextDecoder } from 'node:util';
import { createMultibyteDecoder } from '@exodus/bytes/multi-byte.js';

export interface Decoder {
  decode(bytes: Uint8Array): string;
}

/** index-windows-1252 from 0x80 to 0x9F, where it differs from Latin-1. */
const UPPER = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/** Converts text that was decoded as Latin-1 to windows-1252. */
export const withWindows1252 = (latin1: string): string =>
  latin1.replaceAll(/[\x80-\x9f]/g, (char) => UPPER.charAt(char.charCodeAt(0) - 0x80));

/** Encodings whose ICU tables differ from those of the standard. */
const EAST_ASIAN: ReadonlySet<string> = new Set(['big5', 'euc-jp', 'euc-kr', 'shift_jis']);

const isLatin1 = new TextDecoder('windows-1252').decode(Uint8Array.of(0x80)) !== '€';

const decoders = new Map<string, Decoder>();

/** The cached decoder of a label, as creating one costs more than decoding a small page. Throws for an unknown label. */
export function decoderOf(label: string): Decoder {
  let decoder = decoders.get(label);
  if (decoder === undefined) decoders.set(label, (decoder = newDecoder(label)));
  return decoder;
}

function newDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label);
  if (EAST_ASIAN.has(decoder.encoding)) {
    const decode = createMultibyteDecoder(decoder.encoding, true);
    return { decode: (bytes) => decode(bytes) };
  }
  if (!isLatin1 || decoder.encoding !== 'windows-1252') return decoder;
  return { decode: (bytes) => withWindows1252(decoder.decode(bytes)) };
}
