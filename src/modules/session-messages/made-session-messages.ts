import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { makerPrefix } from '../../kernel/maker.js';
import {
  type Account,
  AuditLog,
  type Gone,
  isBeyond,
  type MadeThing,
  type MadeThingListener,
  MadeThings,
  sendRights,
} from '../accounts/index.js';
import { ScheduledMessageStore } from './scheduled-messages.store.js';

const ROUTES = 'chat';

/** Lists the scheduled messages of people and keys, and cancels them with their maker's right to send. */
@Injectable()
export class MadeSessionMessages implements MadeThingListener {
  constructor(
    private readonly store: ScheduledMessageStore,
    private readonly audit: AuditLog,
    made: MadeThings,
  ) {
    made.register(this);
  }

  async madeBy(source: EntityManager, gone: Gone): Promise<MadeThing[]> {
    const rows = await this.waiting(source, gone);
    return rows.map(({ id, receiver }) => ({ kind: 'session_message', id, name: receiver, is_active: true }));
  }

  async endMadeBy(tx: EntityManager, actor: Account, gone: Gone): Promise<void> {
    if (!isBeyond(gone, ...sendRights(ROUTES))) return;
    let cancelled: readonly number[];
    // a page is bounded: the next one has what is left
    do {
      const rows = await this.waiting(tx, gone);
      cancelled = await this.store.cancelAll(
        tx,
        rows.map(({ id }) => id),
      );
      const records = cancelled.map((id) => ({
        ...{ actor, action: 'session_message.cancel', subject: String(id), accountId: gone.account.id },
        details: { reason: 'its maker lost the right' },
      }));
      await this.audit.recordAll(tx, records);
    } while (cancelled.length > 0);
  }

  private async waiting(source: EntityManager, { account, kind, ids }: Gone) {
    const found = [];
    for (const id of ids) found.push(...(await this.store.waitingOf(source, account.id, makerPrefix(kind, id))));
    return found;
  }
}
