import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { changedSince, FIRST_REVISION } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inListedOrder, type KeyRange, listKeys } from '../../platform/database/index.js';
import { AccountDirectory } from '../accounts/index.js';
import { CustomerEvents } from '../customer-events/index.js';
import {
  extrasOf,
  senderIdsMeant,
  type RegisteredSender,
  type SenderChannel,
  type SenderContent,
  type SenderStatus,
  type SmsOptions,
} from './sender-id.js';
import { senderErrors } from './sender-ids.errors.js';
import { readerOf } from '../numbers/index.js';
import { SenderIdEntity } from './tables.js';

export type SenderSelection = { accountId: number } | { status: SenderStatus } | { id: number };

@Injectable()
export class SenderIdStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly events: CustomerEvents,
  ) {}

  async ofAccount(where: { id: number; accountId: number }): Promise<RegisteredSender | null> {
    const row = await this.dataSource.getRepository(SenderIdEntity).findOneBy(where);
    return row && toSender(row);
  }

  async locked(
    tx: EntityManager,
    where: { id: number } | { accountId: number; channel: SenderChannel; senderId: string },
  ): Promise<RegisteredSender | null> {
    const row = await tx.findOne(SenderIdEntity, { where, lock: { mode: 'pessimistic_write' } });
    return row && toSender(row);
  }

  /** @throws duplicate key when the account has it */
  async create(
    tx: EntityManager,
    accountId: number,
    content: SenderContent,
    createdBy: string,
  ): Promise<RegisteredSender> {
    const at = now();
    const row = tx.create(SenderIdEntity, {
      ...content,
      accountId,
      status: 'pending',
      reason: null,
      revision: FIRST_REVISION,
      createdBy,
      createdAt: at,
      updatedAt: at,
    });
    await tx.insert(SenderIdEntity, row);
    return toSender(row);
  }

  /** Registers a rejected sender id again. @throws AppError conflict `Changed since you looked` */
  async renew(tx: EntityManager, sender: RegisteredSender, content: SenderContent): Promise<RegisteredSender> {
    const { id, status, revision } = sender;
    const { dltEntityId, useCase } = content;
    const changes = {
      dltEntityId,
      useCase,
      status: 'pending' as const,
      reason: null,
      revision: revision + 1,
      updatedAt: now(),
    };
    const { affected } = await tx.update(SenderIdEntity, { id, status, revision }, changes);
    if (affected !== 1) throw changedSince();
    return { ...sender, ...changes };
  }

  /** Sets the status of an unchanged sender id, and notifies the owner's webhooks. @throws AppError conflict */
  async move(tx: EntityManager, sender: RegisteredSender, status: SenderStatus, reason: string | null): Promise<void> {
    const { id, accountId, channel, senderId, revision } = sender;
    const { affected } = await tx.update(
      SenderIdEntity,
      { id, revision, status: sender.status },
      { status, reason, updatedAt: now() },
    );
    if (affected !== 1) throw changedSince();
    const type = 'sender_id.status.update';
    const body = { event: type, id, sender_id: senderId, channel, status, reason };
    await this.events.publish(tx, [{ accountId, type, body }]);
  }

  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.delete(SenderIdEntity, { id });
  }

  /** Newest first. @param selection null = every account */
  async part(selection: SenderSelection | null, page: Page): Promise<Listed<RegisteredSender>> {
    const { index, range } = rangeOf(selection);
    const list = { table: 'sender_ids', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(SenderIdEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      toSender,
    );
  }
}

function rangeOf(selection: SenderSelection | null): { index: string; range: KeyRange } {
  if (selection === null) return { index: 'PRIMARY', range: { where: '', values: [] } };
  if ('accountId' in selection) {
    return { index: 'ix_sender_ids_account', range: { where: 'account_id = ?', values: [selection.accountId] } };
  }
  if ('status' in selection) {
    return { index: 'ix_sender_ids_status', range: { where: 'status = ?', values: [selection.status] } };
  }
  return { index: 'PRIMARY', range: { where: 'id = ?', values: [selection.id] } };
}

function toSender(row: SenderIdEntity): RegisteredSender {
  const { id, accountId, senderId, dltEntityId, useCase, reason, revision, createdBy, createdAt, updatedAt } = row;
  return {
    id,
    accountId,
    channel: row.channel as SenderChannel,
    senderId,
    dltEntityId,
    useCase,
    status: row.status as SenderStatus,
    reason,
    revision,
    createdBy,
    createdAt,
    updatedAt,
  };
}

export interface ApprovedSender {
  senderId: string;
  dltEntityId: string | null;
}

/** Sender ids of sends. Checked at acceptance only: accepted campaigns keep their sender. */
@Injectable()
export class SenderIds {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: AccountDirectory,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'VOICE_DEFAULT_CALLER_ID'>,
  ) {}

  /** A caller id must be approved, unless it is the operator's. @param caller '' = the route's own @throws AppError as `approved` */
  async assertCaller(accountId: number, caller: string): Promise<void> {
    if (caller === '' || caller === this.environment.VOICE_DEFAULT_CALLER_ID) return;
    await this.approved(accountId, 'voice', caller);
  }

  /** @param given as a request has it, read with the account's country @throws AppError invalid `sender_id is not approved` */
  async approved(accountId: number, channel: SenderChannel, given: unknown): Promise<ApprovedSender> {
    const country = (await this.accounts.byId(accountId))?.country ?? null;
    return this.among(accountId, channel, senderIdsMeant(given, readerOf({ country })));
  }

  /** @param senderId as it is stored @throws AppError as `approved` */
  async assertApproved(accountId: number, channel: SenderChannel, senderId: string): Promise<void> {
    await this.among(accountId, channel, [senderId]);
  }

  private async among(accountId: number, channel: SenderChannel, meant: readonly string[]): Promise<ApprovedSender> {
    const where = { accountId, channel, senderId: In([...meant]), status: 'approved' };
    const rows = await this.dataSource.getRepository(SenderIdEntity).find({ where, take: meant.length });
    const found = meant.flatMap((senderId) => rows.find((row) => row.senderId === senderId) ?? [])[0];
    if (!found) throw senderErrors.notApproved();
    return { senderId: found.senderId, dltEntityId: found.dltEntityId };
  }

  /** The sender id of an SMS send, and its content with the options. @throws AppError invalid `sender_id is not approved` */
  async termsOf<Content extends object>(
    accountId: number,
    content: Content,
    options: SmsOptions,
  ): Promise<{ senderId?: string; content: Content }> {
    const { senderId: given } = options;
    const approved = given === null ? null : await this.approved(accountId, 'sms', given);
    const extras = extrasOf(options, approved?.dltEntityId ?? null);
    return { ...(approved && { senderId: approved.senderId }), content: { ...content, ...extras } };
  }
}
