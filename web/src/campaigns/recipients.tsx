import { useEffect, useRef } from 'react';
import { $api, type Schema } from '../api/client.js';
import { type Column, Count, DataTable, type Filter, Filters, formatSpan, listQuery, useAddress } from '../ui/index.js';
import { TimelineDialog } from './timeline.js';
import { LocalTime, RecipientStatus, statusWord } from './words.js';

type Contact = Schema<'ContactData'>;

/**
 * The recipients of a campaign, by status, and the timeline of the one that is chosen. They are read again whenever the summary
 * above was: read by clocks of their own, the two contradicted each other.
 * @param asOf when the summary was read, ms
 */
export function Recipients({ campaign, asOf }: { campaign: Schema<'CampaignDetailData'>; asOf: number }) {
  const [address, change] = useAddress();
  const { request_id } = campaign;
  const query = $api.useQuery('get', '/v6/api/campaigns/{request_id}/contacts', {
    params: { path: { request_id }, query: listQuery(address, 'status', 'number') },
  });
  const { refetch } = query;
  const readFor = useRef(asOf);
  useEffect(() => {
    if (readFor.current === asOf) return;
    readFor.current = asOf;
    void refetch();
  }, [asOf, refetch]);
  const filters: readonly Filter[] = [
    { name: 'number', label: 'Number', kind: 'search', placeholder: 'Number, or its last 4 digits' },
    {
      name: 'status',
      label: 'Status',
      kind: 'choice',
      options: Object.keys(campaign.status_counts).map((status) => [status, statusWord(status)] as const),
    },
  ];
  const chosen = address['contact'];
  const columns: readonly Column<Contact>[] = [
    {
      name: 'receiver',
      title: 'Number',
      cell: (row) => (
        <button
          type="button"
          className="link contact"
          onClick={() => change({ contact: String(row.seq) }, { push: true })}
        >
          {row.receiver}
          <span className="unseen">: its timeline</span>
        </button>
      ),
    },
    { name: 'seq', title: 'No.', align: 'end', cell: (row) => <Count value={row.seq} /> },
    { name: 'status', title: 'Status', cell: (row) => <RecipientStatus status={row.status} /> },
    {
      name: 'error',
      title: 'Error',
      wide: true,
      cell: (row) =>
        row.errorMessage === null ? (
          '–'
        ) : (
          <>
            {row.reason_text ?? row.errorMessage}
            <span className="under">{`${row.errorMessage}${row.error_code === null ? '' : ` (${row.error_code})`}`}</span>
          </>
        ),
    },
    { name: 'attempts', title: 'Attempts', align: 'end', cell: (row) => <Count value={row.attempts} /> },
    ...(campaign.channel === 'voice'
      ? ([
          { name: 'duration', title: 'Talk time', align: 'end', cell: (row) => formatSpan(row.duration ?? 0) },
          { name: 'digits', title: 'Keys', cell: (row) => row.digits ?? '–' },
        ] satisfies Column<Contact>[])
      : []),
    {
      name: 'provider',
      title: 'Carrier id',
      cell: (row) => (row.provider_message_id === null ? '–' : <code>{row.provider_message_id}</code>),
    },
    { name: 'updated', title: 'Changed', cell: (row) => <LocalTime value={row.updated_at} /> },
  ];
  return (
    <>
      <Filters filters={filters} />
      <DataTable
        label="Recipients of the campaign"
        columns={columns}
        query={query}
        rowKey={({ seq }) => seq}
        empty={{ title: 'No recipients found' }}
        isMarked={({ seq }) => String(seq) === chosen}
      />
      {chosen !== undefined && chosen !== '' && (
        <TimelineDialog requestId={request_id} seq={chosen} onClose={() => change({ contact: undefined })} />
      )}
    </>
  );
}
