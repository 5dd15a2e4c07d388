import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { CustomerEvents } from '../../customer-events/index.js';
import { RouteLogins } from '../../providers/index.js';
import { KeywordStore, meaningOf, type SaidWord, StopWords } from '../../suppressions/index.js';
import { receivedEvent, RequestIds } from './events.js';
import { isAnswerable, OPERATOR, ReplyState, type WholeText } from './inbound-message.js';
import { type DecidedText, InboundMessageStore } from './inbound-messages.store.js';
import { type Owner, Ownership } from './ownership.js';

type NamedText = WholeText & Pick<DecidedText, 'id' | 'receivedAt'>;

/** Names send no stop words: they receive no messages. */
const isNumber = (sender: string): boolean => /^[0-9]+$/.test(sender);

/** An older text, such as one that staff assign, gets no automatic answer. */
const ANSWERED_WITHIN_MS = 86_400_000;

const UNKNOWN_OWNER: Owner = { accountId: null, keyword: null, answered: null };

/** What is read before the transaction of some texts. */
interface Prepared {
  owners: readonly Owner[];
  keywords: Awaited<ReturnType<KeywordStore['of']>>;
  requestIds: ReadonlyMap<number, string>;
  sharing: (routeId: number) => readonly number[];
}

/** Decides what texts mean to their owners, and carries it out. */
@Injectable()
export class Decisions {
  constructor(
    private readonly ownership: Ownership,
    private readonly keywords: KeywordStore,
    private readonly stopWords: StopWords,
    private readonly store: InboundMessageStore,
    private readonly logins: RouteLogins,
    private readonly requestIds: RequestIds,
    private readonly events: CustomerEvents,
  ) {}

  /** @param accountId the owner, where staff say who it is */
  async prepare(texts: readonly WholeText[], accountId?: number): Promise<Prepared> {
    const owners = await this.ownership.of(texts, accountId);
    const [keywords, requestIds, sharing] = await Promise.all([
      this.keywords.of([...new Set(owners.flatMap(({ accountId }) => accountId ?? []))]),
      this.requestIds.of(owners.flatMap(({ answered }) => answered?.campaignId ?? [])),
      this.logins.sharing(),
    ]);
    return { owners, keywords, requestIds, sharing };
  }

  /** @param before texts of the same transaction that are not stored yet */
  async decide(
    tx: EntityManager,
    text: NamedText,
    { owners, keywords }: Prepared,
    index: number,
    before: readonly DecidedText[] = [],
  ): Promise<DecidedText> {
    const { accountId, keyword, answered } = owners[index] ?? UNKNOWN_OWNER;
    const meaning = meaningOf(text.text, accountId === null ? undefined : keywords.get(accountId));
    const isLate = now().getTime() - text.receivedAt.getTime() > ANSWERED_WITHIN_MS;
    const reply = accountId === null || isLate ? null : (meaning?.reply ?? null);
    const decided: DecidedText = {
      ...text,
      ...{ accountId: accountId ?? OPERATOR, keyword: meaning?.word ?? keyword, ownerWaitMs: null, reply },
      ...{ campaignId: answered?.campaignId ?? null, seq: answered?.seq ?? null, replyState: ReplyState.None },
    };
    return reply === null ? decided : { ...decided, replyState: await this.replyState(tx, decided, before) };
  }

  /**
   * Obeys the words of stored texts, and publishes those that have an owner. @param early `waited` = the texts have waited for
   * their owner, as their built-in words have, which `EarlyStops` applies; `assigned` = a START has had its effect when it came
   */
  async apply(
    tx: EntityManager,
    texts: readonly DecidedText[],
    { keywords, requestIds, sharing }: Prepared,
    early: 'waited' | 'assigned' | null = null,
  ): Promise<void> {
    const said = texts.flatMap(({ routeId, sender, text, accountId }): SaidWord[] => {
      const { effect = 'none', isBuiltIn } = meaningOf(text, keywords.get(accountId)) ?? {};
      if (effect === 'none' || !isNumber(sender) || (early === 'waited' && isBuiltIn)) return [];
      if (early === 'assigned' && effect === 'start') return [];
      return [{ routeId, from: sender, word: effect, accountId: accountId === OPERATOR ? null : accountId }];
    });
    await this.stopWords.apply(tx, said, sharing);
    const owned = texts.filter(({ accountId }) => accountId !== OPERATOR);
    await this.events.publish(
      tx,
      owned.map((text) => receivedEvent(text, requestIds)),
    );
  }

  private async replyState(tx: EntityManager, text: DecidedText, before: readonly DecidedText[]): Promise<ReplyState> {
    const { id, accountId, sender } = text;
    if (!isAnswerable(sender)) return ReplyState.Silent;
    const isFirst = await this.store.takeAnswer(tx, accountId, sender, id);
    const others = before.filter(
      (one) => one.accountId === accountId && one.sender === sender && one.replyState !== ReplyState.None,
    );
    if (await this.store.looksAutomatic(tx, accountId, sender, others.length)) return ReplyState.Automatic;
    return isFirst ? ReplyState.Due : ReplyState.Silent;
  }
}
