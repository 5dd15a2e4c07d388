import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { fieldErrors } from '../../kernel/errors.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog, withContent } from '../accounts/index.js';
import { OPERATOR_ROUTE_KINDS, type OperatorRouteKind, RouteDirectory } from '../providers/index.js';
import { MOST_PREFIXES, MOST_TABLES, type NamedRule, readRules } from './routing-form.js';
import { RoutingTables, type StoredRule } from './routing-tables.store.js';
import { routingErrors } from './routing.errors.js';
import { AccountNames } from './routing.queries.js';

export interface RawRoutingTable {
  channel?: unknown;
  rules?: unknown;
}

/** Creates or replaces a routing table (reference/routing#rules). @throws AppError 400 first fault, 409 over the limits */
export class PutRoutingTableCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
    readonly request: RawRoutingTable,
  ) {
    super();
  }
}

const FAULTS = { ...routingErrors, noArray: () => fieldErrors.noArray('rules') };

@CommandHandler(PutRoutingTableCommand)
export class PutRoutingTableHandler implements ICommandHandler<PutRoutingTableCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly tables: RoutingTables,
    private readonly routes: RouteDirectory,
    private readonly accounts: AccountNames,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name, request }: PutRoutingTableCommand): Promise<void> {
    const channel = OPERATOR_ROUTE_KINDS.find((kind) => kind === request.channel);
    if (!channel) throw fieldErrors.noWord('channel', OPERATOR_ROUTE_KINDS);
    const named = readRules(request.rules, FAULTS);
    const accountIds = await this.accounts.ids(named.flatMap(({ accounts }) => accounts ?? []));
    await inTransaction(this.dataSource, async (tx) => {
      // Removals of routes take the same lock: routes found here exist until the commit.
      const others = await this.tables.lockQuota(tx, name);
      const routeIds = await this.routeIds(tx, channel, named);
      const unknown = named.flatMap(({ accounts }) => accounts ?? []).filter((account) => !accountIds.has(account));
      if (unknown.length > 0) throw routingErrors.unknownAccounts([...new Set(unknown)]);
      const rules = named.map((rule): StoredRule => ({
        prefixes: rule.prefixes,
        accounts: rule.accounts && idsOf(rule.accounts, accountIds),
        categories: rule.categories,
        routes: idsOf(rule.routes, routeIds),
      }));
      const prefixes = rules.reduce((sum, rule) => sum + rule.prefixes.length, 0);
      if (others.tables >= MOST_TABLES) throw routingErrors.tooManyTables();
      if (others.prefixes + prefixes > MOST_PREFIXES) throw routingErrors.tooManyPrefixes();
      await this.tables.put(tx, { name, channel, rules });
      const details = withContent({ channel, rules: rules.length, prefixes }, { rules: named });
      await this.audit.record(tx, { actor, action: 'routing.put', subject: name, details });
    });
    this.tables.forget();
  }

  private async routeIds(
    tx: EntityManager,
    channel: OperatorRouteKind,
    rules: readonly NamedRule[],
  ): Promise<Map<string, number>> {
    const names = [...new Set(rules.flatMap(({ routes }) => routes))];
    const known = await this.routes.kindsOf(tx, names);
    const unknown = names.filter((name) => !known.has(name));
    if (unknown.length > 0) throw routingErrors.unknownRoutes(unknown);
    const others = names.filter((name) => known.get(name)?.channel !== channel);
    if (others.length > 0) throw routingErrors.otherKind(others);
    return new Map([...known].map(([name, { id }]) => [name, id]));
  }
}

const idsOf = (names: readonly string[], ids: ReadonlyMap<string, number>): number[] =>
  names.flatMap((name) => ids.get(name) ?? []);

/** Removes a routing table. Throws 404 `Routing table not found`. */
export class RemoveRoutingTableCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly name: string,
  ) {
    super();
  }
}

@CommandHandler(RemoveRoutingTableCommand)
export class RemoveRoutingTableHandler implements ICommandHandler<RemoveRoutingTableCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly tables: RoutingTables,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, name }: RemoveRoutingTableCommand): Promise<void> {
    await inTransaction(this.dataSource, async (tx) => {
      await this.tables.lockQuota(tx);
      if (!(await this.tables.remove(tx, name))) throw routingErrors.notFound();
      await this.audit.record(tx, { actor, action: 'routing.delete', subject: name, details: {} });
    });
    this.tables.forget();
  }
}
