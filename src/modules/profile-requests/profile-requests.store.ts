import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import { changedSince, FIRST_REVISION } from '../../kernel/errors.js';
import { duplicateKeyName, inListedOrder, listKeys } from '../../platform/database/index.js';
import type { ProfileChannel, ProfileContent, ProfileRequest, ProfileStatus } from './profile-request.js';
import { ProfileRequestEntity } from './tables.js';

const PENDING_KEY = /\buq_profile_requests_pending$/;
/** Bounds memory; accounts have far fewer. */
const MOST_FOUND = 10_000;

/** Identity: account, channel, name and both numbers; null differs from a value (reference/profile-requests#create). */
const digestOf = (accountId: number, { channel, verifiedName, numberForOtp, number }: ProfileContent): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([accountId, channel, verifiedName, numberForOtp, number]))
    .digest();

/** Whether the unique key refused a second identical pending request. */
export const isAlreadyPending = (error: unknown): boolean => PENDING_KEY.test(duplicateKeyName(error) ?? '');

@Injectable()
export class ProfileRequestStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** @throws duplicate key, see `isAlreadyPending` */
  async create(tx: EntityManager, accountId: number, content: ProfileContent): Promise<ProfileRequest> {
    const at = now();
    const row = tx.create(ProfileRequestEntity, {
      ...content,
      accountId,
      status: 'pending',
      revision: FIRST_REVISION,
      reason: null,
      pendingDigest: digestOf(accountId, content),
      createdAt: at,
      updatedAt: at,
    });
    await tx.insert(ProfileRequestEntity, row);
    return toRequest(row);
  }

  async pending(accountId: number, content: ProfileContent): Promise<ProfileRequest | null> {
    const row = await this.dataSource
      .getRepository(ProfileRequestEntity)
      .findOneBy({ pendingDigest: digestOf(accountId, content) });
    return row && toRequest(row);
  }

  async locked(tx: EntityManager, id: number): Promise<ProfileRequest | null> {
    const row = await tx.findOne(ProfileRequestEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return row && toRequest(row);
  }

  /** Changes a pending request and increments its revision. @throws duplicate key, see `isAlreadyPending` */
  async change(tx: EntityManager, request: ProfileRequest, content: ProfileContent): Promise<void> {
    const { id, accountId } = request;
    const { verifiedName, number, numberForOtp, channel } = content;
    const pendingDigest = digestOf(accountId, content);
    await tx.update(
      ProfileRequestEntity,
      { id },
      { verifiedName, number, numberForOtp, channel, pendingDigest, revision: request.revision + 1, updatedAt: now() },
    );
  }

  /** Sets the status, which permits an identical new request. @throws AppError conflict `Changed since you looked` */
  async process(
    tx: EntityManager,
    request: ProfileRequest,
    status: ProfileStatus,
    reason: string | null,
  ): Promise<void> {
    const { affected } = await tx.update(
      ProfileRequestEntity,
      { id: request.id, revision: request.revision, status: request.status },
      { status, reason, pendingDigest: null, updatedAt: now() },
    );
    if (affected !== 1) throw changedSince();
  }

  async remove(tx: EntityManager, id: number): Promise<void> {
    await tx.delete(ProfileRequestEntity, { id });
  }

  async ofAccount(accountId: number): Promise<ProfileRequest[]> {
    const rows = await this.dataSource
      .getRepository(ProfileRequestEntity)
      .find({ where: { accountId }, order: { id: 'DESC' }, take: MOST_FOUND });
    return rows.map(toRequest);
  }

  async find(accountId: number, id: number): Promise<ProfileRequest | null> {
    const row = await this.dataSource.getRepository(ProfileRequestEntity).findOneBy({ id, accountId });
    return row && toRequest(row);
  }

  /** Of all accounts, newest first. @param wanted null = every status */
  async review(wanted: { status: ProfileStatus } | { id: number } | null, page: Page): Promise<Listed<ProfileRequest>> {
    const [[column, value] = []] = Object.entries(wanted ?? {});
    const range = column === undefined ? { where: '', values: [] } : { where: `${column} = ?`, values: [value] };
    const index = column === 'status' ? 'ix_profile_requests_status' : 'PRIMARY';
    const list = { table: 'profile_requests', index, key: 'id', order: 'DESC', ranges: [range] } as const;
    const ids = await listKeys<number>(this.dataSource, list, page);
    const rows = await this.dataSource.getRepository(ProfileRequestEntity).findBy({ id: In(ids.items) });
    return shown(
      inListedOrder(ids, rows, ({ id }) => id),
      toRequest,
    );
  }

  /** Branded requests of clients with an open look-up, newest first. @param prefix literal, case-insensitive; '' = all */
  async ofClients(parentId: number, prefix: string): Promise<(ProfileRequest & { username: string })[]> {
    const pattern = `${prefix.replace(/[!%_]/g, '!$&')}%`;
    const rows = await this.dataSource
      .getRepository(ProfileRequestEntity)
      .createQueryBuilder('p')
      .innerJoin('accounts', 'a', 'a.id = p.account_id')
      .select(['p', 'a.username'])
      .where('a.parent_id = :parentId AND a.public_lookup = 1 AND p.channel = :channel', {
        parentId,
        channel: 'branded',
      })
      .andWhere(
        "(:pattern = '%' OR LOWER(a.username) LIKE LOWER(:pattern) ESCAPE '!' OR LOWER(p.verified_name) LIKE LOWER(:pattern) ESCAPE '!')",
        { pattern },
      )
      .orderBy('p.id', 'DESC')
      .limit(MOST_FOUND)
      .getRawAndEntities<{ a_username: string }>();
    return rows.entities.map((row, index) => ({ ...toRequest(row), username: rows.raw[index]?.a_username ?? '' }));
  }
}

function toRequest(row: ProfileRequestEntity): ProfileRequest {
  const { id, accountId, verifiedName, number, numberForOtp, revision, reason, createdAt, updatedAt } = row;
  return {
    id,
    accountId,
    verifiedName,
    number,
    numberForOtp,
    channel: row.channel as ProfileChannel,
    status: row.status as ProfileStatus,
    revision,
    reason,
    createdAt,
    updatedAt,
  };
}
