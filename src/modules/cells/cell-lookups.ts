import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { boundedCache, GroupCommit, within } from '../../platform/concurrency/index.js';
import type { FrontEnvironment } from '../../platform/config/index.js';
import { Metrics, safeError } from '../../platform/observability/index.js';
import { Forwarder } from '../../platform/outbound/index.js';
import { CellDirectory, type CellName, EVERY_CELL } from '../cell-directory/index.js';
import { CellList, FRONT_ENVIRONMENT } from './cell-list.js';
import { type Holdings, MOST_ASKED } from './holdings.dto.js';

const KEPT_MS = 10_000;
const MOST_KEPT = 50_000;
/** How long "no cell has this key" is cached; a new key is rarely tried before it exists. */
const UNKNOWN_MS = 1_000;
/** Timeout of the directory, which normally answers within a millisecond; afterwards the cells are queried. */
const PATIENCE_MS = 500;
/** Backoff after a timeout of the directory. */
const AWAY_MS = 1_000;

type Item = { id: string } | { apiKey: string } | CellName;

export interface Held {
  by: string[];
  silent: string[];
}

const keyOf = (item: Item): string =>
  'id' in item ? `id ${item.id}` : 'apiKey' in item ? `key ${item.apiKey}` : `${item.kind} ${item.value}`;

/** Finds the cell of names by the directory, of everything else by querying the cells. */
@Injectable()
export class CellLookups implements OnApplicationShutdown {
  private readonly fresh = boundedCache<string, string>(MOST_KEPT, { ttlMs: KEPT_MS });
  /** the directory's last answers, used while it is unavailable */
  private readonly former = boundedCache<string, string>(MOST_KEPT);
  /** a separate cache, so that unknown keys cannot evict known ones */
  private readonly unknown = boundedCache<string, true>(MOST_KEPT, { ttlMs: UNKNOWN_MS });
  private awayAt = -Infinity;
  private readonly questions: ReadonlyMap<string, GroupCommit<Item, boolean>>;
  private readonly logger = new Logger('Front');
  private readonly lookups;

  constructor(
    private readonly directory: CellDirectory,
    private readonly cells: CellList,
    private readonly forwarder: Forwarder,
    @Inject(FRONT_ENVIRONMENT) private readonly environment: FrontEnvironment,
    metrics: Metrics,
  ) {
    const help = 'Questions of the front, by what was asked and what came of it';
    this.lookups = metrics.counter('front_lookups_total', help, ['kind', 'outcome']);
    const gathering = { maxItems: MOST_ASKED, delayMs: 0, atOnce: 4 };
    this.questions = new Map(
      cells.letters.map((cell) => [cell, new GroupCommit((items) => this.question(cell, items), gathering)]),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.forwarder.close();
  }

  /** Returns a name's cell, `EVERY_CELL` or null, cached 10 s. Others count only if `signer` answers. @throws Unknowable */
  async cellOfName(name: CellName, signer: string | null): Promise<string | null> {
    const key = keyOf(name);
    const known = this.fresh.get(key);
    if (known !== undefined) return known;
    const found = await this.inDirectory(name);
    if (found !== undefined) {
      if (found === null) this.former.delete(key);
      else this.keep(key, found);
      return found;
    }
    const former = this.former.get(key);
    if (former !== undefined) return former;
    const held = await this.held(name, this.cells.letters);
    if (held.by.length > 1) return EVERY_CELL; // only staff names exist in several cells
    if (signer !== null && held.silent.includes(signer)) throw new Unknowable('the cell of the token is silent');
    return only(held);
  }

  /** Returns the cell of an API key's digest, cached 10 s (null: 1 s). @throws Unknowable */
  async cellOfKey(digest: string): Promise<string | null> {
    const key = keyOf({ apiKey: digest });
    const known = this.fresh.get(key);
    if (known !== undefined) return known;
    if (this.unknown.has(digest)) return null;
    const found = await this.holderOf({ apiKey: digest });
    if (found === null) this.unknown.set(digest, true);
    else this.fresh.set(key, found);
    return found;
  }

  /** Returns the first positive answer without waiting for silent cells. @throws Unknowable */
  private async holderOf(item: Item): Promise<string | null> {
    const asked = this.cells.letters.map(async (cell) => {
      const { by, silent } = await this.held(item, [cell]);
      return { found: by[0], silent };
    });
    const found = asked.map(async (answer) => {
      const { found: cell } = await answer;
      if (cell === undefined) throw new Error('not there');
      return cell;
    });
    return Promise.any(found).catch(async () =>
      only({ by: [], silent: (await Promise.all(asked)).flatMap(({ silent }) => silent) }),
    );
  }

  async held(item: Item, cells: readonly string[]): Promise<Held> {
    const held: Held = { by: [], silent: [] };
    await Promise.all(
      cells.map(async (cell) => {
        const has = await this.questions
          .get(cell)
          ?.add(item)
          .catch(() => null);
        if (has === null) held.silent.push(cell);
        else if (has) held.by.push(cell);
      }),
    );
    return held;
  }

  private keep(key: string, cell: string): void {
    this.fresh.set(key, cell);
    this.former.set(key, cell);
  }

  /** Returns undefined if the directory does not answer. */
  private async inDirectory(name: CellName): Promise<string | null | undefined> {
    if (performance.now() - this.awayAt < AWAY_MS) return undefined;
    try {
      const answer = await within(
        PATIENCE_MS,
        this.directory.cellOf(name).then((cell) => ({ cell })),
      );
      if (answer === null) throw new Error(`no answer within ${PATIENCE_MS} ms`);
      const { cell: found } = answer;
      this.lookups.inc({ kind: 'name', outcome: found === null ? 'none' : 'found' });
      return found;
    } catch (error) {
      this.awayAt = performance.now();
      this.lookups.inc({ kind: 'name', outcome: 'failed' });
      this.logger.error({ err: safeError(error) }, 'the directory of accounts does not answer');
      return undefined;
    }
  }

  /** Batches all simultaneous queries to one cell. */
  private async question(cell: string, items: readonly Item[]): Promise<boolean[]> {
    const asked: Holdings = { request_ids: [], api_keys: [], names: [] };
    for (const item of items) {
      if ('id' in item) asked.request_ids.push(item.id);
      else if ('apiKey' in item) asked.api_keys.push(item.apiKey);
      else asked.names.push(item);
    }
    const authorization = `Bearer ${this.environment.CELL_TOKEN}`;
    const headers = { 'content-type': 'application/json', authorization };
    try {
      const answer = await this.forwarder.ask(this.cells.urlOf(cell), '/cell/holdings', headers, JSON.stringify(asked));
      const { request_ids: ids, api_keys: keys, names } = (answer as { data: Holdings }).data;
      const found = new Set([
        ...ids.map((id) => keyOf({ id })),
        ...keys.map((apiKey) => keyOf({ apiKey })),
        ...names.map(keyOf),
      ]);
      this.lookups.inc({ kind: 'holdings', outcome: 'answered' });
      return items.map((item) => found.has(keyOf(item)));
    } catch (error) {
      this.lookups.inc({ kind: 'holdings', outcome: 'failed' });
      this.logger.warn({ cell, err: safeError(error) }, 'a cell does not say what it has');
      throw error;
    }
  }
}

/** The cell is unknown because a possible holder does not answer. */
export class Unknowable extends Error {}

function only({ by, silent }: Held): string | null {
  const [cell] = by;
  if (cell === undefined && silent.length > 0) throw new Unknowable('a cell is silent');
  return cell ?? null;
}
