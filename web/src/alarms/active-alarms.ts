import { $api, type Schema } from '../api/client.js';

const EVERY_MS = 10_000;
/** In one answer. */
export const SHOWN = 100;

/** The alarms that are raised, for the bar and the pages; asked once for all of them. */
export const useActiveAlarms = () =>
  $api.useQuery(
    'get',
    '/v6/api/admin/alarms',
    { params: { query: { state: 'active', limit: SHOWN } } },
    { refetchInterval: EVERY_MS },
  );

/** What is critical first, and of it what is not looked after yet; else the newest first, as they came. */
export const urgentFirst = <Row extends Pick<Schema<'AlarmAnswer'>, 'severity' | 'acknowledged_at'>>(
  alarms: readonly Row[],
): Row[] => [...alarms].sort((a, b) => urgency(a) - urgency(b));

const urgency = ({
  severity,
  acknowledged_at: at,
}: Pick<Schema<'AlarmAnswer'>, 'severity' | 'acknowledged_at'>): number =>
  (at === null ? 0 : 2) + (severity === 'critical' ? 0 : 1);
