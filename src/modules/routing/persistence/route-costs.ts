import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { TtlCache } from '../../../platform/caches/index.js';
import { GroupCommit, ONE_TURN } from '../../../platform/concurrency/index.js';
import { jsonRows } from '../../../platform/database/index.js';
import { type CostRow, PriceList } from '../domain/price-list.js';
import { RouteCostEntity, RoutePriceListEntity } from './route-cost.entities.js';

/** The costs of a route. */
export interface RouteCostList {
  currency: string;
  rows: CostRow[];
  updatedAt: Date;
}

const KEPT_MS = 2_000;
/** Rows of a list. */
export const MOST_COSTS = 10_000;

/**
 * What carriers ask: every window that leaves asks for it, so it is kept for 2 s; the rows of a list are read again only when
 * it has changed.
 */
@Injectable()
export class RouteCosts {
  private readonly versions = new TtlCache<number, number | null>(KEPT_MS);
  private readonly heads = new GroupCommit<number, number | null>((routeIds) => this.versionsOf(routeIds), ONE_TURN);
  private readonly lists = new Map<number, { version: number; list: PriceList }>();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** What the carrier of a route asks; null = the route has no costs. Not to be asked inside a transaction. */
  async listOf(routeId: number): Promise<PriceList | null> {
    const version = await this.versions.get(routeId, () => this.heads.add(routeId));
    if (version === null) {
      this.lists.delete(routeId);
      return null;
    }
    const known = this.lists.get(routeId);
    if (known?.version === version) return known.list;
    const found = await this.find(routeId);
    if (!found) return null;
    const list = new PriceList(found.currency, found.rows);
    this.lists.set(routeId, { version, list });
    return list;
  }

  /** The rows by prefix. */
  async find(routeId: number): Promise<RouteCostList | null> {
    const { manager } = this.dataSource;
    const head = await manager.findOneBy(RoutePriceListEntity, { routeId });
    if (!head) return null;
    const rows = await manager.find(RouteCostEntity, {
      where: { routeId },
      order: { prefix: 'ASC' },
      take: MOST_COSTS,
    });
    return {
      currency: head.currency,
      rows: rows.map(({ prefix, micros }) => ({ prefix, micros })),
      updatedAt: head.updatedAt,
    };
  }

  /** Replaces the costs of a route, whose row is locked. Call `forget` after the commit. */
  async put(tx: EntityManager, routeId: number, currency: string, rows: readonly CostRow[]): Promise<void> {
    await this.remove(tx, routeId);
    await tx.insert(RoutePriceListEntity, { routeId, currency, version: newId(), updatedAt: now() });
    await tx.query(
      `INSERT INTO route_costs (route_id, prefix, cost_micros)
       SELECT ?, j.prefix, j.micros FROM JSON_TABLE(?, '$[*]' COLUMNS (
         prefix VARCHAR(15) CHARACTER SET ascii PATH '$[0]', micros BIGINT PATH '$[1]')) j`,
      [routeId, jsonRows(rows.map(({ prefix, micros }) => [prefix, micros]))],
    );
  }

  /** Call `forget` after the commit. @returns whether there were any */
  async remove(tx: EntityManager, routeId: number): Promise<boolean> {
    const { affected } = await tx.delete(RoutePriceListEntity, { routeId });
    await tx.delete(RouteCostEntity, { routeId });
    return Boolean(affected);
  }

  /** The next question reads the database again. */
  forget(): void {
    this.versions.clear();
  }

  private async versionsOf(routeIds: readonly number[]): Promise<(number | null)[]> {
    const heads = await this.dataSource.manager.findBy(RoutePriceListEntity, { routeId: In([...routeIds]) });
    const versions = new Map(heads.map(({ routeId, version }) => [routeId, version]));
    return routeIds.map((routeId) => versions.get(routeId) ?? null);
  }
}
