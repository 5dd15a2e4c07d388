import { $api, type Schema } from '../api/client.js';
import { counted, formatCount, formatSpan, Link, LoadState, Section, StatusBadge, Time } from '../ui/index.js';
import { SHOWN, urgentFirst, useActiveAlarms } from './active-alarms.js';
import { AlarmCard } from './alarm-card.js';
import { frozenNames, useFreezes } from './frozen-accounts.js';

type RouteStatus = Schema<'RouteStatusData'>;

const SLOWLY = { refetchInterval: 15_000 } as const;
/** States of a route over which not everything is sent. */
const TROUBLED: ReadonlySet<string> = new Set(['down', 'degraded', 'stopped']);

const useRoutes = () =>
  $api.useQuery('get', '/v6/api/admin/routes/status', { params: { query: { limit: SHOWN } } }, SLOWLY);

/** Everything that needs an operator: alarms, and what is wrong although no alarm is raised for it (yet). */
export function Problems() {
  const alarms = useActiveAlarms();
  const routes = useRoutes();
  const failing = $api.useQuery(
    'get',
    '/v6/api/admin/webhooks',
    { params: { query: { failing: 'true', limit: SHOWN } } },
    SLOWLY,
  );
  const freezes = useFreezes();
  const open = $api.useQuery('get', '/v6/api/admin/open-accounts', {}, SLOWLY);
  const bad = routes.data?.data.filter(({ state }) => TROUBLED.has(state)) ?? [];
  const frozen = frozenNames(freezes.data?.data ?? []);
  const hooks = failing.data?.data ?? [];
  const accounts = open.data?.data;
  const queries = [alarms, routes, failing, freezes, open];
  // an answer that is missing is no good news
  const isFine =
    queries.every(({ data, error }) => data !== undefined && error === null) &&
    alarms.data?.data.length === 0 &&
    bad.length + frozen.length + hooks.length + (accounts?.accounts ?? 0) === 0;
  return (
    <Section title="Problems" actions={<Link to="/alarms">All alarms</Link>}>
      <LoadState query={alarms}>
        {({ data }) => (
          <div className="alarms">
            {urgentFirst(data).map((alarm) => (
              <AlarmCard key={alarm.id} alarm={alarm} />
            ))}
          </div>
        )}
      </LoadState>
      {queries.slice(1).map((query, at) => (
        <LoadState key={['routes', 'webhooks', 'freezes', 'accounts'][at]} query={query as typeof routes}>
          {() => null}
        </LoadState>
      ))}
      <ul className="problems" aria-label="Problems without an alarm">
        {bad.map((route) => (
          <li key={route.name}>
            <RouteProblem route={route} />
          </li>
        ))}
        {hooks.length > 0 && (
          <li>
            <Link to="/webhooks" search={{ failing: 'true' }}>
              {failing.data?.next_cursor === null ? '' : 'At least '}
              {formatCount(hooks.length)} {hooks.length === 1 ? 'endpoint fails' : 'endpoints fail'}
            </Link>
          </li>
        )}
        {frozen.length > 0 && (
          <li>
            The guard has frozen sending of {frozen.slice(0, 5).join(', ')}
            {frozen.length > 5 ? ` and ${formatCount(frozen.length - 5)} more` : ''}.{' '}
            <Link to="/freezes" search={{ status: 'active' }}>
              Freezes
            </Link>
          </li>
        )}
        {accounts !== undefined && accounts.accounts > 0 && (
          <li>
            {counted(accounts.accounts, 'account')} can send by username alone, without a token; the owners of{' '}
            {formatCount(accounts.undecided)} have not chosen. <Link to="/accounts">Accounts</Link>
          </li>
        )}
      </ul>
      {isFine && <p className="all-well">No problems.</p>}
    </Section>
  );
}

function RouteProblem({ route }: { route: RouteStatus }) {
  const { name, state, since, alarm_in_seconds: alarmIn, summary } = route;
  return (
    <>
      <Link to={`/routes/${encodeURIComponent(name)}`}>{name}</Link> <StatusBadge status={state} />
      {/* the summary says it mostly */}
      {since !== null && summary?.includes(' since ') !== true && (
        <>
          {' '}
          since <Time value={since} />
        </>
      )}
      {alarmIn !== null && ` (alarm in ${formatSpan(alarmIn)})`}
      {summary !== null && `: ${summary}`}
    </>
  );
}

/** What waits on all routes. */
export function Backlog() {
  const { data } = useRoutes();
  const waiting = data?.data.reduce((sum, route) => sum + route.waiting, 0);
  const isCapped = data?.data.some((route) => route.waiting_is_capped) === true || data?.next_cursor != null;
  return <>{waiting === undefined ? '–' : `${formatCount(waiting)}${isCapped ? '+' : ''}`}</>;
}
