import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { creditErrors } from '../credits/index.js';
import { RouteDirectory } from '../providers/index.js';
import type { MarginRowData } from './margin.dto.js';
import { decimalOf } from './price-list.js';
import { type MarginCost, MarginReader, type MarginSelection } from './route-costs.store.js';
import { AccountNames } from './routing.queries.js';

const MOST_GROUPS = 10_000;

export interface CreditValue {
  micros: number;
  currency: string;
}

/** Charged and refunded credits with their costs. Throws 400 `Too many rows: …`. */
export class GetMarginQuery extends Query<MarginRowData[]> {
  constructor(
    readonly selection: MarginSelection,
    readonly value: CreditValue | null,
  ) {
    super();
  }
}

@QueryHandler(GetMarginQuery)
export class GetMarginHandler implements IQueryHandler<GetMarginQuery> {
  constructor(
    private readonly reader: MarginReader,
    private readonly routes: RouteDirectory,
    private readonly accounts: AccountNames,
  ) {}

  async execute({ selection, value }: GetMarginQuery): Promise<MarginRowData[]> {
    const isByRoute = selection.group === 'route';
    const [credits, costs] = await Promise.all([
      isByRoute ? [] : this.reader.credits(selection, MOST_GROUPS + 1),
      this.reader.costs(selection, MOST_GROUPS + 1),
    ]);
    const groupKeys = new Set([...credits, ...costs].map(({ groupKey }) => groupKey));
    if (Math.max(credits.length, costs.length, groupKeys.size) > MOST_GROUPS) throw creditErrors.usageRows();
    const nameOf = await this.names(selection, groupKeys);
    const earned = new Map(credits.map((row) => [row.groupKey, row]));
    const spentAt = costsByGroup(costs);
    const rows = [...groupKeys].map((groupKey): MarginRowData => {
      const { charged = 0, refunded = 0 } = earned.get(groupKey) ?? {};
      const own = spentAt.get(groupKey) ?? [];
      const net = isByRoute ? null : charged - refunded;
      const worth = value && net !== null ? BigInt(net) * BigInt(value.micros) : null;
      const spent = own.find(({ currency }) => currency === value?.currency)?.micros;
      return {
        key: nameOf(groupKey),
        charged_credits: isByRoute ? null : charged,
        refunded_credits: isByRoute ? null : refunded,
        credits: net,
        costs: own.map(({ currency, messages, segments, micros }) => ({
          ...{ currency, messages: Number(messages), segments: Number(segments) },
          cost: decimalOf(BigInt(micros)),
        })),
        value: worth === null ? null : decimalOf(worth),
        margin: worth === null || spent === undefined ? null : decimalOf(worth - BigInt(spent)),
      };
    });
    return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  private async names(
    { group }: MarginSelection,
    groupKeys: ReadonlySet<string>,
  ): Promise<(groupKey: string) => string> {
    if (group === 'account') {
      const names = await this.accounts.usernames([...groupKeys].map(Number));
      return (groupKey) => names.get(Number(groupKey)) ?? `#${groupKey}`;
    }
    if (group !== 'route') return (groupKey) => groupKey;
    const routes = new Map((await this.routes.list()).map(({ id, name }) => [id, name]));
    return (groupKey) => routes.get(Number(groupKey)) ?? `#${groupKey}`;
  }
}

/** Index of costs by group, sorted by currency; avoids a quadratic search. */
function costsByGroup(costs: readonly MarginCost[]): ReadonlyMap<string, readonly MarginCost[]> {
  const byGroup = new Map<string, MarginCost[]>();
  for (const cost of [...costs].sort((a, b) => (a.currency < b.currency ? -1 : 1))) {
    const known = byGroup.get(cost.groupKey);
    if (known) known.push(cost);
    else byGroup.set(cost.groupKey, [cost]);
  }
  return byGroup;
}
