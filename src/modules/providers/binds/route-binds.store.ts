import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { TtlCache } from '../../../platform/concurrency/index.js';
import { FROM_NOW, again, jsonRows, type QuotedText, type WriteResult } from '../../../platform/database/index.js';

export interface BindKey {
  routeId: number;
  place: number;
  fence: number;
}

export interface BindSlot extends BindKey {
  holder: string | null;
  isFree: boolean;
  bound: boolean;
  refusals: number;
  fault: string | null;
}

export interface BindReport extends BindKey {
  bound: boolean;
  refusals: number;
  fault: string | null;
}

const KEPT_MS = 1_000;
const FAULT_LENGTH = 255;
/** No lease is this long: a longer one means that the clock was set back. */
const NO_LEASE_SECONDS = 120;
const FREE = `(b.lease_until IS NULL OR b.lease_until <= UTC_TIMESTAMP(3)
  OR b.lease_until > UTC_TIMESTAMP(3) + INTERVAL ${NO_LEASE_SECONDS} SECOND)`;
const REPORTS = `JSON_TABLE(?, '$[*]' COLUMNS (route_id INT UNSIGNED PATH '$[0]', place INT UNSIGNED PATH '$[1]',
  fence BIGINT UNSIGNED PATH '$[2]', bound INT PATH '$[3]', refusals INT PATH '$[4]',
  fault VARCHAR(${FAULT_LENGTH}) CHARACTER SET utf8mb4 PATH '$[5]')) j`;
const OF_REPORT = `${REPORTS} STRAIGHT_JOIN route_binds b FORCE INDEX (PRIMARY)
  ON b.route_id = j.route_id AND b.place = j.place AND b.fence = j.fence`;

/** Adds slots up to `binds`; rows beyond it stay and are not taken again. */
export async function addBindSlots(tx: EntityManager, routeId: number, binds: number): Promise<void> {
  const places = Array.from({ length: binds }, (_, index) => [routeId, index + 1]);
  await tx.query('INSERT INTO route_binds (route_id, place) VALUES ? ON DUPLICATE KEY UPDATE place = place', [places]);
}

/** Bind slots, each held by one worker under a lease (docs/decisions/0023); the database's clock decides. */
@Injectable()
export class RouteBinds {
  private readonly cache = new TtlCache<'all', BindSlot[]>(KEPT_MS, 1);

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async slots(): Promise<BindSlot[]> {
    const rows: (Omit<BindSlot, 'isFree' | 'bound'> & { isFree: number; bound: number })[] =
      await this.dataSource.query(
        `SELECT b.route_id AS routeId, b.place, b.fence, b.holder, b.bound, b.refusals, b.fault, ${FREE} AS isFree
       FROM route_binds b ORDER BY b.route_id, b.place`,
      );
    return rows.map((row) => ({
      ...row,
      fence: Number(row.fence),
      isFree: Number(row.isFree) === 1,
      bound: row.bound === 1,
    }));
  }

  known(): Promise<BindSlot[]> {
    return this.cache.get('all', () => this.slots());
  }

  /** Takes the slots that are still free under the fence that was read. @returns them, with the next fence */
  async claim(holder: string, keys: readonly BindKey[], leaseMs: number): Promise<BindKey[]> {
    if (keys.length === 0) return [];
    const result: WriteResult = await this.dataSource.query(
      `UPDATE ${OF_REPORT} SET b.fence = b.fence + 1, b.holder = ?, b.bound = 0, b.lease_until = ${FROM_NOW} WHERE ${FREE}`,
      [reportsOf(keys), holder, leaseMs * 1_000],
    );
    const claimed = keys.map((key) => ({ ...key, fence: key.fence + 1 }));
    if (result.affectedRows === keys.length) return claimed;
    return result.affectedRows === 0 ? [] : this.heldOf(holder, claimed);
  }

  /** Renews leases and stores the reports. @returns the slots still held */
  async renew<Report extends BindReport>(
    holder: string,
    reports: readonly Report[],
    leaseMs: number,
  ): Promise<readonly Report[]> {
    if (reports.length === 0) return [];
    const result: WriteResult = await this.dataSource.query(
      again(`UPDATE ${OF_REPORT} SET b.lease_until = ${FROM_NOW}, b.bound = j.bound, b.refusals = j.refusals, b.fault = j.fault
       WHERE b.holder = ?`),
      [reportsOf(reports), leaseMs * 1_000, holder],
    );
    return result.affectedRows === reports.length ? reports : this.heldOf(holder, reports);
  }

  /** Gives slots back; slots lost meanwhile stay unchanged. */
  async giveBack(holder: string, reports: readonly BindReport[]): Promise<void> {
    if (reports.length === 0) return;
    await this.dataSource.query(
      again(`UPDATE ${OF_REPORT} SET b.holder = NULL, b.lease_until = NULL, b.bound = 0, b.refusals = j.refusals, b.fault = j.fault
       WHERE b.holder = ?`),
      [reportsOf(reports), holder],
    );
    this.cache.clear();
  }

  private async heldOf<Key extends BindKey>(holder: string, keys: readonly Key[]): Promise<Key[]> {
    const rows: { routeId: number; place: number; fence: number }[] = await this.dataSource.query(
      'SELECT route_id AS routeId, place, fence FROM route_binds WHERE holder = ?',
      [holder],
    );
    const held = new Set(rows.map(textOf));
    return keys.filter((key) => held.has(textOf(key)));
  }
}

const textOf = ({ routeId, place, fence }: BindKey): string => `${routeId} ${place} ${Number(fence)}`;

/** in lock order */
const reportsOf = (keys: readonly (BindKey & Partial<BindReport>)[]): QuotedText =>
  jsonRows(
    [...keys]
      .sort((a, b) => a.routeId - b.routeId || a.place - b.place)
      .map(({ routeId, place, fence, bound, refusals = 0, fault }) => [
        routeId,
        place,
        fence,
        bound ? 1 : 0,
        Math.min(refusals, 1_000),
        fault?.slice(0, FAULT_LENGTH) ?? null,
      ]),
  );
