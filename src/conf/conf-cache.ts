/** The configurations of snapshots, parsed: jobs and tasks read the same few again and again. */
import { type Conf, type Params, parseConf } from '../core/conf/properties.js';

const MAX_ENTRIES = 100;
/** Characters of the values of all entries: rule files make some of them large. */
const MAX_CHARACTERS = 67_108_864;

export class ConfCache {
  private readonly confs = new Map<string, Conf>();
  private characters = 0;

  /** @param hash of the content of a snapshot */
  get(hash: string): Conf | undefined {
    return this.confs.get(hash);
  }

  /** Parses the content of a snapshot and keeps the result. A full cache is emptied first. */
  add(hash: string, content: Params): Conf {
    const { conf } = parseConf(content);
    const size = Object.values(content).reduce<number>((sum, value) => sum + String(value).length, 0);
    if (this.confs.size >= MAX_ENTRIES || this.characters + size > MAX_CHARACTERS) {
      this.confs.clear();
      this.characters = 0;
    }
    this.characters += size;
    this.confs.set(hash, conf);
    return conf;
  }
}
