import { $api, LIVE, type Schema } from '../api/client.js';
import { Button, Dialog, Facts, formatCount, LoadState } from '../ui/index.js';
import { hasNotLeft, RecipientStatus } from './words.js';

type Timeline = Schema<'TimelineData'>;
type Event = Timeline['events'][number];

/** What an event is called; the API’s own word is in the title. */
const TITLES: Readonly<Record<string, string>> = {
  queued: 'Accepted',
  scheduled: 'Can start',
  submitted: 'Accepted by the carrier',
  outcome_unknown: 'No answer: possibly sent',
  retry_due: 'Next attempt due',
  route_changed: 'Moved to another route',
  status: 'Status',
  refund: 'Credits refunded',
  call_answered: 'Answered',
  call_ended: 'The call ended',
  priced: 'Price at the provider',
  answer: 'The person answered',
  webhook: 'Sent to the webhook',
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
          ['Status', <RecipientStatus key="status" status={status} />],
          ['Route', decisions.route ?? 'own chat account'],
          ['Fallback routes', decisions.fallback_routes.length > 0 ? decisions.fallback_routes.join(', ') : null],
          ['Price', `${formatCount(decisions.credits)} of ${decisions.balance.replaceAll('_', ' ')}`],
          ['Refunded', decisions.refunded ? 'yes' : 'no'],
          ['Sender', decisions.sender],
          ['Stop list', stopListText(status, decisions.stop_list)],
        ]}
      />
      <ol className="timeline" aria-label="Timeline">
        {events.map((event, at) => (
          // the same event may stand there twice, at one moment
          <li key={`${event.at} ${event.event} ${String(at)}`}>
            <time dateTime={event.at}>{event.at}</time>
            <div>
              <span title={event.event}>{TITLES[event.event] ?? event.event}</span>{' '}
              {event.status !== null && <RecipientStatus status={event.status} />}
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
  if (isOnIt) return 'listed, nothing was sent';
  if (status === 'CANCELLED') return 'not checked, never sent';
  return hasNotLeft(status) ? 'checked when it is sent' : 'not listed';
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
