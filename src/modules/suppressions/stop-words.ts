import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupCommit } from '../../platform/concurrency/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { type InboundSink, type InboundText, RouteLogins } from '../providers/index.js';
import { type ConsentWord, consentWord } from './suppression.js';
import { EarlyStops } from './early-stops.store.js';
import { SuppressionStore } from './suppressions.store.js';
import { NumberSenders } from '../campaigns/index.js';

interface Said {
  routeId: number;
  from: string;
  word: ConsentWord;
}

const GROUP = { maxItems: 1_000, delayMs: 5 };
const LONGEST_ADDRESS = 160;

/** Applies STOP, UNSUBSCRIBE and START. A shared route means the number's last sender (`NumberSenders`), or the word waits. */
@Injectable()
export class StopWords implements InboundSink, OnApplicationShutdown {
  private readonly group = new GroupCommit<Said, void>(async (said) => {
    await this.obey(said);
    return said.map(() => undefined);
  }, GROUP);

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: SuppressionStore,
    private readonly senders: NumberSenders,
    private readonly early: EarlyStops,
    private readonly logins: RouteLogins,
  ) {}

  async accept(routeId: number, texts: readonly InboundText[]): Promise<void> {
    const said = wordsOf(texts).map((entry) => this.group.add({ routeId, ...entry }));
    await Promise.all(said);
  }

  async take(
    tx: EntityManager,
    { routeId, accountId }: { routeId: number; accountId: number },
    texts: readonly InboundText[],
  ): Promise<void> {
    for (const [from, word] of lastWords(wordsOf(texts))) {
      if (word === 'stop') await this.store.stop(tx, accountId, routeId, from);
      else await this.store.start(tx, [routeId], from);
    }
  }

  async identify(
    tx: EntityManager,
    { routeId, accountId }: { routeId: number; accountId: number },
    contacts: readonly { userId: string; number: string }[],
  ): Promise<void> {
    const stopped = await this.store.stoppedUserIds(
      tx,
      accountId,
      contacts.map(({ userId }) => userId),
    );
    const numbers = contacts.flatMap(({ userId, number }) => (stopped.has(userId) ? [number] : []));
    for (const number of numbers.sort()) await this.store.stop(tx, accountId, routeId, number);
  }

  onApplicationShutdown(): Promise<void> {
    return this.group.drained();
  }

  private async obey(said: readonly Said[]): Promise<void> {
    const sharing = await this.logins.sharing();
    const last = lastOfLogins(said, (routeId) => sharing(routeId)[0]);
    for (const routeId of new Set(last.map((entry) => entry.routeId))) {
      const words = lastWords(last.filter((entry) => entry.routeId === routeId));
      const stopping = words.flatMap(([from, word]) => (word === 'stop' ? [from] : []));
      const senders = await this.senders.lastTo(routeId, stopping);
      await inTransaction(this.dataSource, async (tx) => {
        for (const [from, word] of words) {
          const accountId = senders.get(from);
          if (word === 'start') {
            await this.store.start(tx, sharing(routeId), from);
            await this.early.forget(tx, sharing(routeId), from);
          } else if (accountId !== undefined) await this.store.stop(tx, accountId, routeId, from);
        }
        await this.early.keep(
          tx,
          routeId,
          stopping.filter((from) => !senders.has(from)),
        );
      });
    }
  }
}

function wordsOf(texts: readonly InboundText[]): Omit<Said, 'routeId'>[] {
  return texts.flatMap(({ from, text, isAlias = false }) => {
    const word = consentWord(text);
    if (isAlias && word === 'stop') return [];
    return word !== null && from !== '' && from.length <= LONGEST_ADDRESS ? [{ from, word }] : [];
  });
}

/** Last words of a number over one login's routes. Each STOP counts: the last sender may differ per route. */
function lastOfLogins(said: readonly Said[], loginOf: (routeId: number) => number | undefined): Said[] {
  const byNumber = new Map<string, Map<number, Said>>();
  for (const entry of said) {
    const key = `${loginOf(entry.routeId)} ${entry.from}`;
    const before = byNumber.get(key);
    const isContradicted = [...(before?.values() ?? [])].some(({ word }) => word !== entry.word);
    const kept = !before || isContradicted || entry.word === 'start' ? new Map<number, Said>() : before;
    byNumber.set(key, kept.set(entry.routeId, entry));
  }
  return [...byNumber.values()].flatMap((entries) => [...entries.values()]);
}

/** The last word of each number, sorted by number to keep one lock order. */
const lastWords = (said: readonly Omit<Said, 'routeId'>[]): [from: string, word: ConsentWord][] =>
  [...new Map(said.map(({ from, word }) => [from, word]))].sort(([a], [b]) => (a < b ? -1 : 1));
