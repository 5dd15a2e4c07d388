import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { WriteResult } from '../../../platform/database/index.js';
import { sealedIn, Sealer } from '../../../platform/security/index.js';
import { type Account, loginOf } from '../domain/account.js';
import { AccountEntity, AssignedUserEntity } from '../tables.js';
import { newRecoveryCodes, recoveryDigest } from './codes.js';
import { LoginFactorEntity, RecoveryCodeEntity } from './tables.js';

export const PASSKEYS_PER_LOGIN = 20;
const MOST_FACTORS = PASSKEYS_PER_LOGIN + 2;

/** A verified passkey, as it is stored. */
export interface NewPasskey {
  name: string;
  credentialId: string;
  publicKey: Uint8Array;
  counter: number;
  transports: readonly string[];
}

export const credentialDigest = (credentialId: string): Buffer => createHash('sha256').update(credentialId).digest();

/** Stores second factors and recovery codes; what is used once is used by a conditional update. */
@Injectable()
export class FactorStore {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly sealer: Sealer,
  ) {}

  /** Confirmed factors, oldest first. */
  of(holderId: number, source: EntityManager = this.dataSource.manager): Promise<LoginFactorEntity[]> {
    const where = { holderId, confirmedAt: Not(IsNull()) };
    return source.find(LoginFactorEntity, { where, order: { id: 'ASC' }, take: MOST_FACTORS });
  }

  totp(holderId: number, isConfirmed: boolean, source = this.dataSource.manager): Promise<LoginFactorEntity | null> {
    const confirmedAt = isConfirmed ? Not(IsNull()) : IsNull();
    return source.findOne(LoginFactorEntity, { where: { holderId, kind: 'totp', confirmedAt }, order: { id: 'DESC' } });
  }

  secretOf({ id, secret }: LoginFactorEntity): string {
    return this.sealer.open(secret ?? '', placeOfSecret(id));
  }

  /** Begins the enrolment of an app; a former beginning ends. */
  async beginTotp(tx: EntityManager, account: Account, secret: string): Promise<void> {
    const holderId = loginOf(account).id;
    await tx.delete(LoginFactorEntity, { holderId, kind: 'totp', confirmedAt: IsNull() });
    const id = newId();
    const sealed = this.sealer.seal(secret, placeOfSecret(id));
    const row = { id, accountId: account.id, holderId, kind: 'totp' as const, name: '', secret: sealed };
    await tx.insert(LoginFactorEntity, { ...row, createdAt: now() });
  }

  /** Takes a step of an app. Returns false when it, or a later one, was taken before. */
  async takeStep(id: number, step: number): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      `UPDATE login_factors SET last_step = ?, last_used_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND confirmed_at IS NOT NULL AND (last_step IS NULL OR last_step < ?)`,
      [step, id, step],
    );
    return affectedRows === 1;
  }

  /** Confirms an app with its first step. Returns false when its enrolment is over. */
  async confirmTotp(tx: EntityManager, id: number, step: number): Promise<boolean> {
    const { affectedRows } = await tx.query<WriteResult>(
      `UPDATE login_factors SET last_step = ?, confirmed_at = UTC_TIMESTAMP(3), last_used_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND confirmed_at IS NULL`,
      [step, id],
    );
    return affectedRows === 1;
  }

  async addPasskey(tx: EntityManager, account: Account, passkey: NewPasskey): Promise<LoginFactorEntity> {
    const at = now();
    const { name, credentialId, publicKey, counter, transports } = passkey;
    const row = tx.create(LoginFactorEntity, {
      ...{ id: newId(), accountId: account.id, holderId: loginOf(account).id, kind: 'passkey', name, secret: null },
      ...{ credentialId, credentialDigest: credentialDigest(credentialId), publicKey: Buffer.from(publicKey), counter },
      ...{ lastStep: null, transports: transports.join(',').slice(0, 128), confirmedAt: at, lastUsedAt: null },
      createdAt: at,
    });
    await tx.insert(LoginFactorEntity, row);
    return row;
  }

  /** The passkey of a login with this credential; null = none. */
  passkey(holderId: number, credentialId: string): Promise<LoginFactorEntity | null> {
    const where = { holderId, credentialDigest: credentialDigest(credentialId) };
    return this.dataSource.manager.findOneBy(LoginFactorEntity, where);
  }

  /** Takes the counter of a signature. Returns false when it is not above the last: the passkey may have been copied. */
  async takeCounter(id: number, counter: number): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      `UPDATE login_factors SET counter = ?, last_used_at = UTC_TIMESTAMP(3)
       WHERE id = ? AND (counter < ? OR (counter = 0 AND ? = 0))`,
      [counter, id, counter, counter],
    );
    return affectedRows === 1;
  }

  remove(tx: EntityManager, id: number): Promise<unknown> {
    return tx.delete(LoginFactorEntity, { id });
  }

  /** Removes all factors and codes of a login, and its beginnings. */
  async removeAll(tx: EntityManager, holderId: number): Promise<void> {
    await tx.delete(LoginFactorEntity, { holderId });
    await tx.delete(RecoveryCodeEntity, { holderId });
  }

  /** Replaces the recovery codes and returns the new ones, never again. */
  async renewCodes(tx: EntityManager, holderId: number): Promise<string[]> {
    const codes = newRecoveryCodes();
    await tx.delete(RecoveryCodeEntity, { holderId });
    const rows = codes.flatMap((code) => {
      const digest = recoveryDigest(code);
      return digest ? [{ holderId, digest, usedAt: null }] : [];
    });
    await tx.insert(RecoveryCodeEntity, rows);
    return codes;
  }

  codesLeft(holderId: number): Promise<number> {
    return this.dataSource.manager.countBy(RecoveryCodeEntity, { holderId, usedAt: IsNull() });
  }

  /** Uses a recovery code up. Returns false for an unknown or used one. */
  async takeCode(holderId: number, digest: Buffer): Promise<boolean> {
    const { affectedRows } = await this.dataSource.query<WriteResult>(
      'UPDATE recovery_codes SET used_at = UTC_TIMESTAMP(3) WHERE holder_id = ? AND digest = ? AND used_at IS NULL',
      [holderId, digest],
    );
    return affectedRows === 1;
  }

  /** Notes on the row of the login whether it has a second factor; locks it. Call `forget` of its cache after the commit. */
  async mark(tx: EntityManager, login: Account, has: boolean): Promise<void> {
    const entity = login.assignedUser ? AssignedUserEntity : AccountEntity;
    await tx.update<AccountEntity | AssignedUserEntity>(
      entity,
      { id: loginOf(login).id },
      { secondFactor: has, updatedAt: now() },
    );
  }
}

const placeOfSecret = (id: number): string => sealedIn('login_factors', 'secret', id);
