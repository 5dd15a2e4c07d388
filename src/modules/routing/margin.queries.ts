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
    const places = new Set([...credits, ...costs].map(({ place }) => place));
    if (Math.max(credits.length, costs.length, places.size) > MOST_GROUPS) throw creditErrors.usageRows();
    const nameOf = await this.names(selection, places);
    const earned = new Map(credits.map((row) => [row.place, row]));
    const spentAt = costsByPlace(costs);
    const rows = [...places].map((place): MarginRowData => {
      const { charged = 0, refunded = 0 } = earned.get(place) ?? {};
      const own = spentAt.get(place) ?? [];
      const net = isByRoute ? null : charged - refunded;
      const worth = value && net !== null ? BigInt(net) * BigInt(value.micros) : null;
      const spent = own.find(({ currency }) => currency === value?.currency)?.micros;
      return {
        key: nameOf(place),
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

  private async names({ group }: MarginSelection, places: ReadonlySet<string>): Promise<(place: string) => string> {
    if (group === 'account') {
      const names = await this.accounts.usernames([...places].map(Number));
      return (place) => names.get(Number(place)) ?? `#${place}`;
    }
    if (group !== 'route') return (place) => place;
    const routes = new Map((await this.routes.list()).map(({ id, name }) => [id, name]));
    return (place) => routes.get(Number(place)) ?? `#${place}`;
  }
}

/** Index of costs by group, sorted by currency; avoids a quadratic search. */
function costsByPlace(costs: readonly MarginCost[]): ReadonlyMap<string, readonly MarginCost[]> {
  const byPlace = new Map<string, MarginCost[]>();
  for (const cost of [...costs].sort((a, b) => (a.currency < b.currency ? -1 : 1))) {
    const known = byPlace.get(cost.place);
    if (known) known.push(cost);
    else byPlace.set(cost.place, [cost]);
  }
  return byPlace;
}
