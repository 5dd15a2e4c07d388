import { $api, LIVE, type Schema } from '../api/client.js';
import { Button, Dialog, Facts, formatCount, LoadState, StatusBadge } from '../ui/index.js';
import { hasNotLeft } from './words.js';

type Timeline = Schema<'TimelineData'>;
type Event = Timeline['events'][number];

/** What an event is called; the API’s own word is in the title. */
const TITLES: Readonly<Record<string, string>> = {
  queued: 'Accepted',
  scheduled: 'May begin',
  submitted: 'The carrier took it',
  outcome_unknown: 'It may have left: no answer',
  retry_due: 'The next try is due',
  route_changed: 'Another route took over',
  status: 'Status',
  refund: 'Credits went back',
  call_answered: 'Answered',
  call_ended: 'The call ended',
  priced: 'Price at the provider',
  answer: 'The person answered',
  webhook: 'Pushed to the webhook',
};

/** One recipient from the acceptance to its end, with every decision that was made about it. */
export function TimelineDialog({ requestId, seq, onClose }: { requestId: string; seq: string; onClose: () => void }) {
  const query = $api.useQuery(
    'get',
    '/v6/api/campaigns/{request_id}/contacts/{seq}/timeline',
    { params: { path: { request_id: requestId, seq: Number(seq) } } },
    LIVE,
  );
  const number = query.data?.data.receiver;
  return (
    <Dialog wide title={number === undefined ? `Recipient ${seq}` : `Recipient ${number}`} onClose={onClose}>
      <LoadState query={query}>{({ data }) => <Life timeline={data} />}</LoadState>
      <div className="buttons end">
        <Button data-first onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Life({ timeline: { status, decisions, events } }: { timeline: Timeline }) {
  return (
    <>
      <Facts
        facts={[
          ['Status', <StatusBadge key="status" status={status} text={status} />],
          ['Route', decisions.route ?? 'own chat account'],
          ['Takes over', decisions.fallback_routes.length > 0 ? decisions.fallback_routes.join(', ') : null],
          ['Price', `${formatCount(decisions.credits)} of ${decisions.balance.replaceAll('_', ' ')}`],
          ['Refunded', decisions.refunded ? 'yes' : 'no'],
          ['Sender', decisions.sender],
          ['Stop list', stopListText(status, decisions.stop_list)],
        ]}
      />
      <ol className="timeline" aria-label="What became of it">
        {events.map((event, at) => (
          // the same event may stand there twice, at one moment
          <li key={`${event.at} ${event.event} ${String(at)}`}>
            <time dateTime={event.at}>{event.at}</time>
            <div>
              <span title={event.event}>{TITLES[event.event] ?? event.event}</span>{' '}
              {event.status !== null && <StatusBadge status={event.status} text={event.status} />}
              <Details details={event.details} />
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

/** It is asked at the moment of leaving, not at the acceptance. */
function stopListText(status: string, isOnIt: boolean): string {
  if (isOnIt) return 'it was on it: nothing was sent';
  if (status === 'CANCELLED') return 'not asked: it never left';
  return hasNotLeft(status) ? 'asked when it leaves' : 'it was not on it';
}

function Details({ details }: { details: Event['details'] }) {
  const said = Object.entries(details as Record<string, unknown>).filter(([, value]) => value !== null && value !== '');
  if (said.length === 0) return null;
  return (
    <dl className="details">
      {said.map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
