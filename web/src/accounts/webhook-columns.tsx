import { type Column, Count, Share, StatusBadge, Time, MadeBy } from '../ui/index.js';
import type { AnyWebhook } from './whose.js';

export const webhookState = ({ status, failing_since, disabled_reason }: AnyWebhook) => {
  if (status === 'disabled') return <StatusBadge status="disabled" text={disabled_reason ?? 'disabled'} />;
  return typeof failing_since === 'string' ? (
    <StatusBadge status="failing" tone="bad" />
  ) : (
    <StatusBadge status="active" />
  );
};

/** What every list of webhooks shows. */
export const WEBHOOK_COLUMNS: readonly Column<AnyWebhook>[] = [
  { name: 'url', title: 'Address', cell: ({ url }) => url, wide: true },
  { name: 'state', title: 'State', cell: webhookState },
  { name: 'maker', title: 'Created by', cell: (row) => <MadeBy maker={row.created_by} />, wide: true },
  { name: 'events', title: 'Events', cell: ({ events }) => events.join(', '), wide: true },
];

/** What staff see beside it: how each does. */
export const HEALTH_COLUMNS: readonly Column<AnyWebhook>[] = [
  { name: 'success', title: 'Last success', cell: ({ last_success_at }) => <Time value={last_success_at} /> },
  {
    name: 'hour',
    title: 'Failed, last hour',
    align: 'end',
    cell: ({ last_hour }) => <Share value={last_hour?.failure_rate} />,
  },
  {
    name: 'day',
    title: 'Failed, last 24 h',
    align: 'end',
    cell: ({ last_day }) => <Share value={last_day?.failure_rate} />,
  },
  {
    name: 'backlog',
    title: 'Waiting',
    align: 'end',
    cell: ({ backlog = 0 }) => (
      <>
        <Count value={backlog} />
        {backlog >= 1_000 && '+'}
      </>
    ),
  },
  { name: 'oldest', title: 'Oldest waiting', cell: ({ oldest_waiting_at }) => <Time value={oldest_waiting_at} /> },
];
