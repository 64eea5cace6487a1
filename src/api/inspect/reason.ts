/**
 * Why a URL is not fetched now. Every reason has a stable code to branch on (reason-codes.ts) and a sentence that names the property, the
 * rule or the line; `blocks` separates reasons that prevent the fetch from those that only explain.
 */
import { type Rule, byRule } from '../../core/url/linear-regex.js';
import type { ReasonCode } from './reason-codes.js';
import type { ReasonDto } from './url.dto.js';

export type Reason = ReasonDto;

/** What a reason may name besides its sentence. */
type Particulars = Omit<Reason, 'code' | 'blocks' | 'message'>;

/** The plugin and the rule that decided on a URL, as far as they are known. */
interface Decided {
  readonly plugin?: string | null;
  readonly rule?: Rule | null;
}

/** Who refuses a URL: as the end of a sentence, and as fields of a reason. */
export function refusedBy({ plugin, rule, rejected }: Decided & { readonly rejected: string }): {
  words: string;
  named: Particulars;
} {
  const words = plugin ? `${plugin} refuses it${byRule(rule)}` : `it is refused (${rejected})`;
  return { words, named: decidedBy({ plugin, rule }) };
}

export const decidedBy = ({ plugin, rule }: Decided): Particulars => ({
  ...(plugin && { plugin }),
  ...(rule && { rule }),
});

/** A reason that prevents the fetch. */
export const blocked = (code: ReasonCode, message: string, particulars: Particulars = {}): Reason => ({
  code,
  blocks: true,
  message,
  ...particulars,
});

/** A reason that explains and does not prevent the fetch. */
export const noted = (code: ReasonCode, message: string, particulars: Particulars = {}): Reason => ({
  code,
  blocks: false,
  message,
  ...particulars,
});
