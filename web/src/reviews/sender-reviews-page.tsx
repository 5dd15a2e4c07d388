import { $api, api, LIVE, type Schema } from '../api/client.js';
import { Button, type Column, DataTable, listQuery, Page, StatusBadge, Time, useAddress } from '../ui/index.js';
import { StatusChoice, statusQuery } from './status-choice.js';
import { useDecision } from './use-decision.js';

type Row = Schema<'ReviewedSenderIdData'>;
const STATUSES = ['pending', 'approved', 'rejected'] as const;

/** Sender ids that customers want their messages and calls to come from. */
export default function SenderReviewsPage() {
  const [address] = useAddress();
  const asked = { ...listQuery(address), ...statusQuery(address['status']) };
  const query = $api.useQuery('get', '/v6/api/admin/sender-ids', { params: { query: asked } as never }, LIVE);
  const { busy, decide } = useDecision();
  const check = ({ id, sender_id: name, username, revision }: Row, move: 'approve' | 'reject') => {
    const isRejection = move === 'reject';
    const label = isRejection ? 'Reject' : 'Approve';
    return decide({
      key: `${String(id)} ${move}`,
      title: `${label} ${name}?`,
      text: `A sender id of ${username}.`,
      yes: `${label} it`,
      done: `${isRejection ? 'Rejected' : 'Approved'}: ${name}`,
      needsReason: isRejection,
      work: (reason) =>
        api.POST(`/v6/api/admin/sender-ids/{id}/${move}`, {
          params: { path: { id } },
          body: { revision, ...(isRejection && { reason }) },
        }),
    });
  };
  const columns: readonly Column<Row>[] = [
    { name: 'id', title: 'Sender id', cell: (row) => <strong>{row.sender_id}</strong> },
    { name: 'account', title: 'Account', cell: ({ username }) => username },
    { name: 'channel', title: 'Channel', cell: ({ channel }) => (channel === 'sms' ? 'SMS' : 'Voice') },
    { name: 'entity', title: 'DLT entity', cell: (row) => row.dlt_entity_id ?? '–' },
    { name: 'use', title: 'Use', cell: (row) => row.use_case ?? '–', wide: true },
    { name: 'status', title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { name: 'reason', title: 'Reason', cell: ({ reason }) => reason ?? '–' },
    { name: 'at', title: 'Registered', cell: (row) => <Time value={row.created_at} /> },
    {
      name: 'decide',
      title: 'Decision',
      cell: (row) => (
        <div className="buttons">
          {row.status === 'pending' && (
            <Button
              needs="manage"
              busy={busy === `${String(row.id)} approve`}
              aria-label={`Approve ${row.sender_id}`}
              onClick={() => void check(row, 'approve')}
            >
              Approve
            </Button>
          )}
          {row.status !== 'rejected' && (
            <Button
              needs="manage"
              kind="danger"
              busy={busy === `${String(row.id)} reject`}
              aria-label={`Reject ${row.sender_id}`}
              onClick={() => void check(row, 'reject')}
            >
              Reject
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <Page title="Sender ids to review" about="Names and numbers that customers want to send from.">
      <StatusChoice statuses={STATUSES} />
      <DataTable
        label="Sender ids"
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        empty={{ title: 'Nothing to review' }}
      />
    </Page>
  );
}
