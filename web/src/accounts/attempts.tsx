import type { Schema } from '../api/client.js';
import { Button, type Column, Count, DataTable, listQuery, StatusBadge, Time, useAddress } from '../ui/index.js';
import { useChange } from './refresh.js';
import { replayEvent, useAttempts } from './whose.js';

type Attempt = Schema<'AttemptData'>;

/** The tries of a webhook, each of whose events can be sent again. */
export function Attempts({ side, id }: { side: 'owner' | 'staff'; id: number }) {
  const [address] = useAddress();
  const query = useAttempts(side, id, listQuery(address));
  const change = useChange();
  const columns: readonly Column<Attempt>[] = [
    { name: 'time', title: 'Time', cell: ({ created_at }) => <Time value={created_at} seconds /> },
    {
      name: 'type',
      title: 'Event',
      cell: ({ type, test }) => (
        <>
          {type} {test && <StatusBadge status="test" text="test event" tone="live" />}
        </>
      ),
    },
    {
      name: 'result',
      title: 'Answer',
      cell: ({ status_code, error }) =>
        error === null ? (
          <StatusBadge status="delivered" text={`delivered, ${String(status_code ?? '')}`} />
        ) : (
          <StatusBadge status="failed" text={status_code === null ? 'no answer' : `failed, ${String(status_code)}`} />
        ),
    },
    { name: 'error', title: 'Error', cell: ({ error }) => error ?? '–', wide: true },
    { name: 'attempt', title: 'Attempt', align: 'end', cell: ({ attempt }) => <Count value={attempt} /> },
    { name: 'took', title: 'Duration', align: 'end', cell: ({ duration_ms }) => `${String(duration_ms)} ms` },
    { name: 'next', title: 'Next attempt', cell: ({ next_attempt_at }) => <Time value={next_attempt_at} /> },
    {
      name: 'replay',
      title: 'Actions',
      cell: ({ event_id, attempt, test }) =>
        test ? (
          '–'
        ) : (
          <Button
            needs="webhooks"
            aria-label={`Send ${event_id} again, attempt ${String(attempt)}`}
            onClick={() => void change(() => replayEvent(side, event_id), 'The event is being sent again')}
          >
            Send again
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      label="Delivery attempts"
      columns={columns}
      query={query}
      rowKey={({ event_id, attempt }) => `${event_id} ${String(attempt)}`}
      empty={{ title: 'Nothing was sent to this webhook in the last 30 days' }}
    />
  );
}
