import { BookOpen } from 'lucide-react';
import { $api, type Schema } from '../api/client.js';
import { BASE } from '../app/base.js';
import { Button, Link, notify, notifyFault, StatusBadge, Time } from '../ui/index.js';
import { wordsOf } from './words.js';
import './alarms.css';

export type Alarm = Schema<'AlarmAnswer'>;

/** One alarm: what is wrong, since when, what to do, and whether it is looked after. */
export function AlarmCard({ alarm }: { alarm: Alarm }) {
  const { id, kind, severity, message, hint, state, doc_url: guide } = alarm;
  return (
    <article className={`card alarm ${state === 'past' ? 'past' : severity}`} aria-label={wordsOf(kind)}>
      <header>
        <StatusBadge status={severity} />
        <h3>{wordsOf(kind)}</h3>
        <span className="muted">
          raised <Time value={alarm.raised_at} />
        </span>
      </header>
      <p>{message}</p>
      <p className="muted">{hint}</p>
      <footer>
        <Acknowledged alarm={alarm} key={id} />
        <Place alarm={alarm} />
        <a href={`${BASE}${guide}`} target="_blank" rel="noreferrer" className="what-to-do">
          <BookOpen size={14} aria-hidden />
          What to do
        </a>
      </footer>
    </article>
  );
}

function Acknowledged({ alarm: { id, state, acknowledged_at: at, acknowledged_by: by } }: { alarm: Alarm }) {
  const acknowledge = $api.useMutation('post', '/v6/api/admin/alarms/{id}/acknowledge', {
    onSuccess: ({ message }) => notify(message),
    onError: (error) => notifyFault(error),
  });
  if (at !== null) {
    return (
      <span>
        Acknowledged by {by} at <Time value={at} />
      </span>
    );
  }
  if (state === 'past') return null;
  return (
    <Button
      needs="manage"
      busy={acknowledge.isPending}
      onClick={() => acknowledge.mutate({ params: { path: { id } } })}
    >
      Acknowledge
    </Button>
  );
}

/** The way to what the alarm is about. */
function Place({ alarm: { subject, subject_type: type } }: { alarm: Alarm }) {
  if (subject === null) return null;
  if (type === 'route') return <Link to={`/routes/${encodeURIComponent(subject)}`}>Route {subject}</Link>;
  if (type === 'account') return <Link to={`/accounts/${encodeURIComponent(subject)}`}>Account {subject}</Link>;
  // a webhook is named by its account and its id
  const id = type === 'webhook' ? subject.split('/').at(-1) : undefined;
  return id === undefined ? null : <Link to={`/webhooks/${encodeURIComponent(id)}`}>Webhook {subject}</Link>;
}
