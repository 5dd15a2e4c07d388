import { $api, api, LIVE, type Schema } from '../api/client.js';
import { Button, type Column, DataTable, listQuery, Page, StatusBadge, Time, useAddress } from '../ui/index.js';
import { StatusChoice, statusQuery } from './status-choice.js';
import { useDecision } from './use-decision.js';

type Row = Schema<'ReviewedProfileRequestData'>;
type Verdict = 'processing' | 'completed' | 'rejected';
const STATUSES = ['pending', 'processing', 'completed', 'rejected'] as const;

const VERDICTS: Readonly<Record<Verdict, { label: string; done: string; from: readonly string[] }>> = {
  processing: { label: 'Start review', done: 'Review started', from: ['pending'] },
  completed: { label: 'Complete', done: 'Completed', from: ['pending', 'processing'] },
  rejected: { label: 'Reject', done: 'Rejected', from: ['pending', 'processing'] },
};

/** Display names that customers want to have verified. */
export default function ProfileReviewsPage() {
  const [address] = useAddress();
  const asked = { ...listQuery(address), ...statusQuery(address['status']) };
  const query = $api.useQuery('get', '/v6/api/admin/profile-requests', { params: { query: asked } as never }, LIVE);
  const { busy, decide } = useDecision();
  const check = ({ id, verified_name: name, username, revision }: Row, status: Verdict) => {
    const { label, done } = VERDICTS[status];
    const needsReason = status === 'rejected';
    return decide({
      key: `${String(id)} ${status}`,
      title: `${label} “${name}”?`,
      text: `A request of ${username}.`,
      yes: `${label} it`,
      done: `${done}: ${name}`,
      needsReason,
      work: (reason) =>
        api.PATCH('/v6/api/admin/profile-requests/{id}', {
          params: { path: { id } },
          body: { status, revision, ...(needsReason && { reason }) },
        }),
    });
  };
  const columns: readonly Column<Row>[] = [
    { name: 'name', title: 'Name', cell: (row) => row.verified_name, wide: true },
    { name: 'account', title: 'Account', cell: ({ username }) => username },
    { name: 'channel', title: 'Channel', cell: ({ channel }) => channel },
    { name: 'number', title: 'Number', cell: (row) => row.number ?? '–' },
    { name: 'otp', title: 'Number for the code', cell: (row) => row.numberForOTP || '–' },
    { name: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { name: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? '–' },
    { name: 'at', title: 'Requested', cell: (row) => <Time value={row.created_at} /> },
    {
      name: 'decide',
      title: 'Decision',
      cell: (row) => (
        <div className="buttons">
          {(Object.keys(VERDICTS) as Verdict[])
            .filter((verdict) => VERDICTS[verdict].from.includes(row.status))
            .map((verdict) => (
              <Button
                needs="manage"
                key={verdict}
                kind={verdict === 'rejected' ? 'danger' : 'quiet'}
                busy={busy === `${String(row.id)} ${verdict}`}
                aria-label={`${VERDICTS[verdict].label} ${row.verified_name}`}
                onClick={() => void check(row, verdict)}
              >
                {VERDICTS[verdict].label}
              </Button>
            ))}
        </div>
      ),
    },
  ];
  return (
    <Page title="Display names to review" about="Names that customers want to show to their contacts.">
      <StatusChoice statuses={STATUSES} />
      <DataTable
        label="Display names"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'Nothing to review' }}
      />
    </Page>
  );
}
