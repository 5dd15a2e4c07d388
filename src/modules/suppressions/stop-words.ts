import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ConsentSink, InboundText } from '../providers/index.js';
import { EarlyStops } from './early-stops.store.js';
import { KeywordStore } from './keywords/keywords.store.js';
import { type ConsentWord, consentWord, type Keywords } from './keywords/words.js';
import { SuppressionStore } from './suppressions.store.js';

/** A word of a text over a route that accounts share. */
export interface SaidWord {
  routeId: number;
  from: string;
  word: ConsentWord;
  /** the account that the text is for; null = its message is not recorded yet: the word waits for it */
  accountId: number | null;
}

const LONGEST_ADDRESS = 160;

/** Applies stop words, those that lift them, and consent settings of chat contacts. */
@Injectable()
export class StopWords implements ConsentSink {
  constructor(
    private readonly store: SuppressionStore,
    private readonly early: EarlyStops,
    private readonly keywords: KeywordStore,
  ) {}

  /** Applies words of texts over operators' routes. @param sharing routes of the login of a route, itself included */
  async apply(
    tx: EntityManager,
    said: readonly SaidWord[],
    sharing: (routeId: number) => readonly number[],
  ): Promise<void> {
    const last = lastOfLogins(said, (routeId) => sharing(routeId)[0]);
    for (const routeId of new Set(last.map((entry) => entry.routeId))) {
      const words = byNumber(last.filter((entry) => entry.routeId === routeId));
      for (const { from, word, accountId } of words) {
        if (word === 'start') {
          await this.store.start(tx, sharing(routeId), from);
          await this.early.forget(tx, sharing(routeId), from);
        } else if (accountId !== null) await this.store.stop(tx, accountId, routeId, from);
      }
      const waiting = words.filter(({ word, accountId }) => word === 'stop' && accountId === null);
      await this.early.keep(
        tx,
        routeId,
        waiting.map(({ from }) => from),
      );
    }
  }

  async take(
    tx: EntityManager,
    { routeId, accountId }: { routeId: number; accountId: number },
    texts: readonly InboundText[],
  ): Promise<void> {
    const own = await this.keywords.ofOne(tx, accountId);
    for (const { from, word } of lastWords(wordsOf(texts, own))) {
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
}

function wordsOf(texts: readonly InboundText[], own: Keywords | undefined): { from: string; word: ConsentWord }[] {
  return texts.flatMap(({ from, text, isAlias = false }) => {
    const word = consentWord(text, own);
    if (isAlias && word === 'stop') return [];
    return word !== null && from !== '' && from.length <= LONGEST_ADDRESS ? [{ from, word }] : [];
  });
}

/** Last words of a number over one login's routes. Each STOP counts: it may be for another account. */
function lastOfLogins(said: readonly SaidWord[], loginOf: (routeId: number) => number | undefined): SaidWord[] {
  const kinds = new Map<string, Map<string, SaidWord>>();
  for (const entry of said) {
    const key = `${loginOf(entry.routeId)} ${entry.from}`;
    const before = kinds.get(key);
    const isContradicted = [...(before?.values() ?? [])].some(({ word }) => word !== entry.word);
    const kept = !before || isContradicted || entry.word === 'start' ? new Map<string, SaidWord>() : before;
    kinds.set(key, kept.set(`${entry.routeId} ${entry.accountId}`, entry));
  }
  return [...kinds.values()].flatMap((entries) => [...entries.values()]);
}

/** The last word of each number, in one lock order. */
const lastWords = <Word extends { from: string }>(said: readonly Word[]): Word[] =>
  byNumber([...new Map(said.map((entry) => [entry.from, entry])).values()]);

const byNumber = <Word extends { from: string }>(said: readonly Word[]): Word[] =>
  said.toSorted((a, b) => (a.from < b.from ? -1 : 1));
