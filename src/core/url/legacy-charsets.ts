/** Where the encoders of the WHATWG Encoding Standard differ from inverted decoders. */

export interface MultiByte {
  /** Lowest lead byte of two-byte sequences that are encoded; lower ones are decoded only. */
  readonly firstLead: number;
  /** Lead bytes of sequences that are decoded only. */
  readonly skippedLeads?: readonly number[];
  /** Characters encoded by their last sequence, not the first. */
  readonly lastCounts?: string;
  /** Characters that are never encoded. */
  readonly without?: string;
  /** Sequences that no decoder maps to the character. */
  readonly fixed?: Readonly<Record<string, readonly number[]>>;
  /** Characters encoded like another character. */
  readonly likeOthers?: Readonly<Record<string, string>>;
}

const yenAndOverline = { '¥': [0x5c], '‾': [0x7e] };
const minus = { '\u2212': '\uff0d' };

const multiByte: Readonly<Record<string, MultiByte>> = {
  big5: { firstLead: 0xa1, lastCounts: '═╞╡╪十卅' },
  'euc-jp': { firstLead: 0x8e, fixed: yenAndOverline, likeOthers: minus },
  'euc-kr': { firstLead: 0x81 },
  gb18030: { firstLead: 0x81, without: '\ue5e5', fixed: { '€': [0xa2, 0xe3] } },
  gbk: { firstLead: 0x81, without: '\ue5e5', fixed: { '€': [0x80] } },
  shift_jis: {
    firstLead: 0x81,
    // 0xf0 to 0xf9: private use.
    skippedLeads: [0xed, 0xee, 0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9],
    fixed: yenAndOverline,
    likeOthers: minus,
  },
};

export const multiByteOf = (charset: string): MultiByte | undefined => multiByte[charset];

const SINGLE_BYTE = /^(?:windows-(?:874|125\d)|iso-8859-(?:\d|1[0-6]|8-i)|koi8-[ru]|macintosh|ibm866|x-mac-cyrillic)$/;

/** Whether queries of pages in this charset are encoded as UTF-8: for UTF-8, UTF-16, and unknown charsets. */
export const isUnicodeCharset = (charset: string): boolean =>
  multiByte[charset] === undefined && charset !== 'iso-2022-jp' && !SINGLE_BYTE.test(charset);
