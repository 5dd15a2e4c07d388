import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { now } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { TtlCache } from '../../platform/concurrency/index.js';
import { OPERATOR_ROUTE_KINDS, type OperatorRouteKind } from '../providers/index.js';
import { lockQuota } from '../quotas/index.js';
import { type RoutingRule, RuleIndex } from './route-plan.js';
import { MOST_TABLES } from './routing-form.js';
import { RoutingTableEntity } from './tables.js';

/** A rule as JSON of a row; null = all. */
export interface StoredRule {
  prefixes: string[];
  accounts: number[] | null;
  categories: string[] | null;
  routes: number[];
}

export interface RoutingTable {
  name: string;
  channel: OperatorRouteKind;
  rules: readonly StoredRule[];
  createdAt: Date;
  updatedAt: Date;
}

export type RoutingTableSummary = Pick<
  RoutingTableEntity,
  'name' | 'channel' | 'ruleCount' | 'prefixes' | 'createdAt' | 'updatedAt'
>;

export type RoutingTableDraft = Pick<RoutingTable, 'name' | 'channel' | 'rules'>;

interface Known extends RoutingTable {
  version: number;
}

type Indexes = ReadonlyMap<OperatorRouteKind, RuleIndex>;

const KEPT_MS = 2_000;
const EMPTY = new RuleIndex([]);
/** Quota account of the routing tables, which belong to no account. */
const HOUSE = 0;

/** Rules that choose routes, cached for 2 s; unchanged tables are not read again. */
@Injectable()
export class RoutingTables {
  private readonly kept = new TtlCache<'tables', Indexes>(KEPT_MS, 1);
  private known: ReadonlyMap<string, Known> = new Map();
  private indexes: Indexes = new Map();

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async indexOf(kind: OperatorRouteKind): Promise<RuleIndex> {
    return (await this.kept.get('tables', () => this.load())).get(kind) ?? EMPTY;
  }

  summaries(): Promise<RoutingTableSummary[]> {
    return this.dataSource.manager.find(RoutingTableEntity, {
      select: { name: true, channel: true, ruleCount: true, prefixes: true, createdAt: true, updatedAt: true },
      order: { name: 'ASC' },
      take: MOST_TABLES,
    });
  }

  async find(name: string): Promise<RoutingTable | null> {
    const row = await this.dataSource.manager.findOneBy(RoutingTableEntity, { name });
    return row && toTable(row);
  }

  /** Serializes changes of tables and of their routes until the transaction ends. @returns counts without the named table */
  async lockQuota(tx: EntityManager, name?: string): Promise<{ tables: number; prefixes: number }> {
    await lockQuota(tx, HOUSE, 'routing_tables');
    const rows = await tx.find(RoutingTableEntity, { select: { name: true, prefixes: true }, take: MOST_TABLES });
    const others = rows.filter((row) => row.name !== name);
    return { tables: others.length, prefixes: others.reduce((sum, row) => sum + row.prefixes, 0) };
  }

  /** The table whose rules name a route; null = none. Call `lockQuota` first, in the same transaction. */
  async naming(tx: EntityManager, routeId: number): Promise<string | null> {
    const tables = await tx.find(RoutingTableEntity, { order: { name: 'ASC' }, take: MOST_TABLES });
    return tables.map(toTable).find(({ rules }) => rules.some(({ routes }) => routes.includes(routeId)))?.name ?? null;
  }

  /** Creates or replaces a table. Call `forget` after the commit. */
  async put(tx: EntityManager, { name, channel, rules }: RoutingTableDraft): Promise<void> {
    const at = now();
    const values = {
      channel,
      rules: JSON.stringify(rules),
      ruleCount: rules.length,
      prefixes: rules.reduce((sum, rule) => sum + rule.prefixes.length, 0),
      version: newId(),
      updatedAt: at,
    };
    const { affected } = await tx.update(RoutingTableEntity, { name }, values);
    if (!affected) await tx.insert(RoutingTableEntity, { ...values, name, createdAt: at });
  }

  /** Call `forget` after the commit. @returns whether it existed */
  async remove(tx: EntityManager, name: string): Promise<boolean> {
    return Boolean((await tx.delete(RoutingTableEntity, { name })).affected);
  }

  forget(): void {
    this.kept.clear();
  }

  private async load(): Promise<Indexes> {
    const { manager } = this.dataSource;
    const current = await manager.find(RoutingTableEntity, {
      select: { name: true, version: true },
      take: MOST_TABLES,
    });
    const changed = current.filter(({ name, version }) => this.known.get(name)?.version !== version);
    if (changed.length === 0 && current.length === this.known.size) return this.indexes;
    const rows =
      changed.length === 0
        ? []
        : await manager.findBy(RoutingTableEntity, { name: In(changed.map(({ name }) => name)) });
    const read = new Map(rows.map((row): [string, Known] => [row.name, { ...toTable(row), version: row.version }]));
    const tables = current.flatMap(({ name }) => read.get(name) ?? this.known.get(name) ?? []);
    this.known = new Map(tables.map((table) => [table.name, table]));
    this.indexes = new Map(
      OPERATOR_ROUTE_KINDS.map((kind) => [
        kind,
        new RuleIndex(tables.filter(({ channel }) => channel === kind).flatMap(rulesOf)),
      ]),
    );
    return this.indexes;
  }
}

const toTable = ({ name, channel, rules, createdAt, updatedAt }: RoutingTableEntity): RoutingTable => ({
  name,
  channel: channel as OperatorRouteKind,
  rules: JSON.parse(rules) as StoredRule[],
  createdAt,
  updatedAt,
});

const rulesOf = ({ name, rules }: RoutingTable): RoutingRule[] =>
  rules.map(({ prefixes, accounts, categories, routes }, at) => ({
    table: name,
    place: at + 1,
    prefixes,
    accounts: accounts && new Set(accounts),
    categories: categories && new Set(categories),
    routes,
  }));
