import type { UrlRules } from '../../core/url/url-rules.js';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ConfStore } from '../../conf/conf.store.js';
import type { Conf } from '../../core/conf/properties.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { confIdUnknown } from '../problem.js';

export interface ConfWithRules {
  conf: Conf;
  rules: UrlRules;
}

const REMEMBERED = 8;

/**
 * Configurations with their URL rules. A thousand rules take a quarter of a second to compile, so the compiled rules of the
 * last few configurations are cached by a hash of the whole configuration.
 */
@Injectable()
export class ConfRules {
  private readonly known = new Map<string, UrlRules>();

  constructor(private readonly confs: ConfStore) {}

  /** Throws CONFIG_ID_UNKNOWN. */
  async read(confId: string): Promise<ConfWithRules> {
    const conf = await this.conf(confId);
    const content = createHash('sha256').update(JSON.stringify(conf)).digest('base64');
    const rules = this.known.get(content) ?? makeUrlRules(conf);
    this.known.delete(content);
    this.known.set(content, rules);
    if (this.known.size > REMEMBERED) this.known.delete(this.known.keys().next().value!);
    return { conf, rules };
  }

  /** The configuration alone, with the rules of its files. Throws CONFIG_ID_UNKNOWN. */
  async conf(confId: string): Promise<Conf> {
    const conf = await this.confs.findWithRules(confId);
    if (conf === undefined) throw confIdUnknown(confId);
    return conf;
  }
}
