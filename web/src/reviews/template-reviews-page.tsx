import { $api, api, LIVE, type Schema } from '../api/client.js';
import { Handset } from '../send/handset.js';
import { CATEGORY_OF, categoryNote, languageOf, STATUS_OF } from '../templates/template-words.js';
import {
  Button,
  Empty,
  Facts,
  Link,
  listQuery,
  LoadState,
  Page,
  Pager,
  Section,
  StatusBadge,
  Time,
  useAddress,
} from '../ui/index.js';
import { StatusChoice, statusQuery } from './status-choice.js';
import { useDecision } from './use-decision.js';

type Template = Schema<'ReviewedTemplateAnswer'>;
type Move = 'approve' | 'reject' | 'pause' | 'resume' | 'disable';

const MOVES: Readonly<Record<Move, { label: string; done: string; needsReason: boolean; from: readonly number[] }>> = {
  approve: { label: 'Approve', done: 'Approved', needsReason: false, from: [3] },
  reject: { label: 'Reject', done: 'Rejected', needsReason: true, from: [3] },
  pause: { label: 'Pause', done: 'Paused', needsReason: true, from: [1] },
  resume: { label: 'Resume', done: 'Resumed', needsReason: false, from: [4] },
  disable: { label: 'Disable', done: 'Disabled', needsReason: true, from: [0, 1, 2, 3, 4] },
};

/** Templates that wait for a decision, each as the handset shows it. */
export default function TemplateReviewsPage() {
  const [{ template = '' }] = useAddress();
  return (
    <Page title="Templates to review" about="Templates from customers, shown as on a phone.">
      {template === '' ? <Templates /> : <OneTemplate id={Number(template)} />}
    </Page>
  );
}

/** The one that a search has found, whatever its status. */
function OneTemplate({ id }: { id: number }) {
  const query = $api.useQuery('get', '/v6/api/admin/templates/{id}', { params: { path: { id } } }, LIVE);
  return (
    <>
      <p>
        <Link to="/reviews/templates">All waiting</Link>
      </p>
      <LoadState query={query}>{({ data }) => <Review template={data} />}</LoadState>
    </>
  );
}

function Templates() {
  const [address] = useAddress();
  const asked = { limit: '20', ...listQuery(address), ...statusQuery(address['status']) };
  const query = $api.useQuery('get', '/v6/api/admin/templates', { params: { query: asked } as never }, LIVE);
  return (
    <>
      <StatusChoice statuses={Object.values(STATUS_OF)} />
      <LoadState query={query}>
        {(list) => (
          <>
            {list.data.length === 0 && <Empty title="Nothing to review" />}
            {list.data.map((template) => (
              <Review key={template.id} template={template} />
            ))}
            <Pager foot={list} shown={list.data.length} isBusy={query.isFetching} />
          </>
        )}
      </LoadState>
    </>
  );
}

function Review({ template }: { template: Template }) {
  const { id, template_name: name, username, status, revision } = template;
  const { busy, decide } = useDecision();
  const move = (wanted: Move) => {
    const { label, done, needsReason } = MOVES[wanted];
    return decide({
      key: wanted,
      title: `${label} ${name}?`,
      text: `A template of ${username}.`,
      yes: `${label} it`,
      done: `${done}: ${name}`,
      needsReason,
      work: (reason) =>
        api.POST(`/v6/api/admin/templates/{id}/${wanted}`, {
          params: { path: { id } },
          body: { revision, ...(needsReason && { reason }) },
        }),
    });
  };
  return (
    <Section
      title={name}
      actions={
        <>
          {(Object.keys(MOVES) as Move[])
            .filter((wanted) => MOVES[wanted].from.includes(status))
            .map((wanted) => (
              <Button
                needs="manage"
                key={wanted}
                kind={wanted === 'approve' ? 'primary' : MOVES[wanted].needsReason ? 'danger' : 'quiet'}
                busy={busy === wanted}
                aria-label={`${MOVES[wanted].label} ${name}`}
                onClick={() => void move(wanted)}
              >
                {MOVES[wanted].label}
              </Button>
            ))}
        </>
      }
    >
      <Facts
        facts={[
          ['Account', username],
          ['Status', <StatusBadge key="status" status={STATUS_OF[status] ?? String(status)} />],
          ['Category', CATEGORY_OF[template.category] ?? template.category],
          ['Category set by the provider', categoryNote(template)],
          ['Language', languageOf(template)],
          ['Sample of the header', template.header_example_url],
          ['Samples', template.body_examples.length === 0 ? null : template.body_examples.join(', ')],
          ['Provider id', template.upstream_id],
          ['Reason', template.reason],
          ['Revision', revision],
          ['Created', <Time key="at" value={template.created_at} />],
        ]}
      />
      <Handset
        template={template}
        values={Object.fromEntries(template.body_examples.map((text, at) => [String(at + 1), text]))}
      />
    </Section>
  );
}
