import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type LastSend, NumberSenders } from '../../campaigns/index.js';
import { AccountDirectory } from '../../accounts/index.js';
import { RouteLogins } from '../../providers/index.js';
import { wordOf } from '../../suppressions/index.js';
import type { WholeText } from './inbound-message.js';

export interface Owner {
  /** null = not known yet */
  accountId: number | null;
  /** the keyword by which an inbound number gave the text to the account */
  keyword: string | null;
  /** the recipient whose message the text answers */
  answered: { campaignId: number; seq: number } | null;
}

interface InboundNumber {
  number: string;
  routeId: number;
  keyword: string;
  accountId: number;
}

const MOST_NUMBERS = 10_000;

const firstWord = ({ text }: WholeText): string => wordOf(text.trimStart().split(/\s/, 1)[0] ?? '');

/**
 * Finds the owner of a text (reference/inbound-messages#owner): the account of the number it was sent to, else the account that last sent
 * to the person over the login.
 */
@Injectable()
export class Ownership {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly senders: NumberSenders,
    private readonly logins: RouteLogins,
    private readonly accounts: AccountDirectory,
  ) {}

  /** The owners of these texts, in their order. Call it before the transaction. @param known the owner, where it is known */
  async of(texts: readonly WholeText[], known?: number): Promise<Owner[]> {
    const sharing = await this.logins.sharing();
    const words = ['', ...texts.map(firstWord)];
    const numbers = await this.inboundNumbers(
      texts.map(({ recipient }) => recipient),
      words,
    );
    const sends = await this.lastSends(texts);
    const usable = await this.usable([...numbers, ...[...sends.values()].flat()].map((one) => one.accountId));
    return texts.map((text) => {
      const routes = sharing(text.routeId);
      const own = numbers.filter(
        ({ number, routeId, accountId }) =>
          number === text.recipient && routes.includes(routeId) && usable.has(accountId),
      );
      const word = firstWord(text);
      const number =
        own.find(({ keyword }) => keyword !== '' && keyword === word) ?? own.find((one) => one.keyword === '');
      const toPerson = (sends.get(keyOf(text)) ?? []).filter((send) => usable.has(send.accountId));
      const accountId = known ?? number?.accountId ?? toPerson.at(-1)?.accountId ?? null;
      const last = toPerson.findLast((send) => send.accountId === accountId);
      return {
        accountId,
        keyword: number && number.keyword !== '' ? number.keyword : null,
        answered: last?.campaignId != null && last.seq !== null ? { campaignId: last.campaignId, seq: last.seq } : null,
      };
    });
  }

  /** Whether an account may still send under a number: staff may have given it to another one. */
  async mayUse(accountId: number, number: string, routeId: number): Promise<boolean> {
    const sharing = await this.logins.sharing();
    const routes = sharing(routeId);
    const given = (await this.inboundNumbers([number])).filter((one) => routes.includes(one.routeId));
    return given.length === 0 || given.some((one) => one.accountId === accountId);
  }

  private async usable(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const known = await Promise.all([...new Set(ids)].map((id) => this.accounts.byId(id)));
    return new Set(known.flatMap((account) => (account && this.accounts.usable(account) ? [account.id] : [])));
  }

  /** @param words keywords that count; absent = all */
  private async inboundNumbers(recipients: readonly string[], words?: readonly string[]): Promise<InboundNumber[]> {
    const wanted = [...new Set(recipients)].filter((recipient) => recipient !== '');
    if (wanted.length === 0) return [];
    return this.dataSource.query(
      `SELECT number, route_id AS routeId, keyword, account_id AS accountId FROM inbound_numbers WHERE number IN (?)
       ${words ? 'AND keyword IN (?)' : ''} ORDER BY id LIMIT ${MOST_NUMBERS}`,
      [wanted, ...(words ? [[...new Set(words)]] : [])],
    );
  }

  /** The sends to each sender over the login of the route, the last one at the end. */
  private async lastSends(texts: readonly WholeText[]): Promise<Map<string, LastSend[]>> {
    const found = new Map<string, LastSend[]>();
    for (const routeId of new Set(texts.map((text) => text.routeId))) {
      const senders = texts.flatMap((text) => (text.routeId === routeId && isAscii(text.sender) ? [text.sender] : []));
      const sends = await this.senders.lastSends(routeId, [...new Set(senders)]);
      // Sends from before recipients were recorded.
      const earlier = await this.senders.lastTo(
        routeId,
        [...new Set(senders)].filter((sender) => !sends.has(sender)),
      );
      for (const [number, accountId] of earlier) sends.set(number, [{ accountId, campaignId: null, seq: null }]);
      for (const [sender, of] of sends) found.set(keyOf({ routeId, sender }), of);
    }
    return found;
  }
}

/** The columns refuse to be compared with other text. */
const isAscii = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

const keyOf = ({ routeId, sender }: Pick<WholeText, 'routeId' | 'sender'>): string => `${routeId} ${sender}`;
