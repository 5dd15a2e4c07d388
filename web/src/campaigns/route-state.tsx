import { $api, type Schema } from '../api/client.js';
import { useMe } from '../app/session.js';
import { Link, StatusBadge } from '../ui/index.js';
import { isOver } from './words.js';

type Status = Schema<'RouteStatusData'>;
type Carried = Pick<Schema<'CampaignData'>, 'route' | 'carried_by' | 'channel' | 'state'>;

/** How the routes stand, by name: staff alone are told. */
export type RouteStates = ReadonlyMap<string, Status>;

const SLOW = { refetchInterval: 5_000 } as const;

/** @returns null for those who are not told, and until it is known */
export function useRouteStates(): RouteStates | null {
  const isStaff = useMe().pages === 'staff';
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/routes/status',
    { params: { query: { limit: 1000 } } },
    { ...SLOW, enabled: isStaff, select: ({ data }): RouteStates => new Map(data.map((route) => [route.name, route])) },
  );
  return query.data ?? null;
}

/** The routes over which a campaign leaves now; of one that has left, the one that it was accepted for. */
const presentOf = ({ route, carried_by: carrying }: Carried): readonly string[] =>
  carrying.length > 0 ? carrying : route === null ? [] : [route];

/** What keeps a campaign from leaving, in the words of the route. */
export function holdUpOf(campaign: Carried, states: RouteStates | null): readonly Status[] {
  if (states === null || isOver(campaign.state)) return [];
  return campaign.carried_by.flatMap((name) => {
    const status = states.get(name);
    return status === undefined || status.state === 'up' || status.state === 'degraded' ? [] : [status];
  });
}

/** The present routes, each with how it stands as long as something is left, and where the campaign was before. */
export function CarriedBy({ campaign, states }: { campaign: Carried; states: RouteStates | null }) {
  const present = presentOf(campaign);
  const isOwn = campaign.channel === 'template' || campaign.channel === 'branded';
  if (present.length === 0) return <>{isOwn ? 'own chat account' : '–'}</>;
  const former = campaign.route !== null && !present.includes(campaign.route) ? campaign.route : null;
  return (
    <span className="carried-by">
      {present.map((name) => (
        <span key={name} className="carried">
          {states === null ? name : <Link to={`/routes/${encodeURIComponent(name)}`}>{name}</Link>}
          {holdUpOf({ ...campaign, carried_by: [name] }, states).map(({ state }) => (
            <StatusBadge key={state} status={state} />
          ))}
        </span>
      ))}
      {former !== null && <span className="muted">moved from {former}</span>}
    </span>
  );
}
