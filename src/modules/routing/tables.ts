import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TableRule } from '../../platform/periodic/index.js';

const ASCII = { charset: 'ascii', collation: 'ascii_bin' } as const;

/** Present for each route with costs. */
@Entity('route_price_lists')
export class RoutePriceListEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @Column({ type: 'char', length: 3, ...ASCII })
  currency!: string;

  /** changes with each update, so that caches detect it */
  @Column({ type: 'bigint' })
  version!: number;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

@Entity('route_costs')
export class RouteCostEntity {
  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ type: 'varchar', length: 15, ...ASCII })
  prefix!: string;

  /** millionths of the currency */
  @Column({ name: 'cost_micros', type: 'bigint' })
  micros!: number;
}

/** Daily (UTC) costs of messages at the price when they were sent. Shards reduce lock waits; readers take the sum. */
@Entity('route_spend')
export class RouteSpendEntity {
  @PrimaryColumn({ type: 'date' })
  day!: string;

  @PrimaryColumn({ name: 'route_id', type: 'int', unsigned: true })
  routeId!: number;

  @PrimaryColumn({ name: 'account_id', type: 'int', unsigned: true })
  accountId!: number;

  @PrimaryColumn({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** calling code of the number; '' = unknown */
  @PrimaryColumn({ type: 'varchar', length: 8, ...ASCII })
  prefix!: string;

  @PrimaryColumn({ type: 'char', length: 3, ...ASCII })
  currency!: string;

  @PrimaryColumn({ type: 'tinyint', unsigned: true })
  shard!: number;

  @Column({ type: 'bigint' })
  messages!: number;

  @Column({ type: 'bigint' })
  segments!: number;

  @Column({ name: 'cost_micros', type: 'bigint' })
  micros!: number;
}

/** Rules of one kind of route, replaced as a whole. */
@Entity('routing_tables')
export class RoutingTableEntity {
  @PrimaryColumn({ type: 'varchar', length: 64, ...ASCII })
  name!: string;

  /** `sms`, `unofficial` or `voice` */
  @Column({ type: 'varchar', length: 16, ...ASCII })
  channel!: string;

  /** JSON text of `StoredRule[]` */
  @Column({ type: 'longtext' })
  rules!: string;

  @Column({ name: 'rule_count', type: 'int', unsigned: true })
  ruleCount!: number;

  @Column({ type: 'int', unsigned: true })
  prefixes!: number;

  @Column({ type: 'bigint' })
  version!: number;

  @Column({ name: 'created_at', type: 'datetime', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'updated_at', type: 'datetime', precision: 3 })
  updatedAt!: Date;
}

export const routingTables: readonly TableRule[] = [
  { table: 'routing_tables', rule: 'kept', why: 'staff make and remove them, 20 at the most' },
  { table: 'route_price_lists', rule: 'kept', why: 'one of a route that has costs' },
  { table: 'route_costs', rule: 'kept', why: 'staff make and remove them, 10,000 of a route at the most' },
  {
    table: 'route_spend',
    rule: 'kept',
    why: 'what a day cost, by route, account, channel and calling code: some rows of an account and a day on which it sent',
  },
];
