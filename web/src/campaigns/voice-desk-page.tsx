import { Check, X } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schema } from '../api/client.js';
import { queryClient } from '../app/query-client.js';
import {
  askReason,
  Button,
  confirm,
  Empty,
  formatCount,
  Link,
  listQuery,
  LoadState,
  notify,
  notifyFault,
  Page,
  Pager,
  Section,
  useAddress,
} from '../ui/index.js';
import { VoiceReview } from './voice-review.js';
import { LocalTime, momentText } from './words.js';

type Review = Schema<'StaffCampaignAnswer'>;

/** Voice campaigns that wait for staff, the newest first: each with everything that is heard in it. */
export default function VoiceDeskPage() {
  const [address] = useAddress();
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/campaigns',
    { params: { query: { limit: 20, ...listQuery(address), state: 'pending_approval' } } },
    { refetchInterval: 10_000 },
  );
  return (
    <Page title="Voice campaigns" about="Calls start only after approval here.">
      <LoadState query={query}>
        {(list) => (
          <>
            {list.data.length === 0 ? (
              <Empty title="Nothing waits for approval" />
            ) : (
              <p className="muted" role="status">
                {formatCount(list.total)} {list.total === 1 ? 'campaign waits' : 'campaigns wait'}
              </p>
            )}
            {list.data.map((campaign) => (
              <Pending key={campaign.request_id} campaign={campaign} />
            ))}
            {list.total > list.data.length && <Pager foot={list} shown={list.data.length} isBusy={query.isFetching} />}
          </>
        )}
      </LoadState>
    </Page>
  );
}

function Pending({ campaign }: { campaign: Review }) {
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null);
  const { request_id, broadcast_name: name, revision, recipients, credits } = campaign;
  const params = { path: { request_id } };

  const decide = async (decision: 'approve' | 'reject', work: () => Promise<boolean>) => {
    setBusy(decision);
    try {
      if (await work()) await queryClient.invalidateQueries();
    } catch (error) {
      notifyFault(error);
      await queryClient.invalidateQueries();
    } finally {
      setBusy(null);
    }
  };
  const approve = async (): Promise<boolean> => {
    const isSure = await confirm({
      title: `Approve “${name}”?`,
      text: `${formatCount(recipients)} ${recipients === 1 ? 'number is' : 'numbers are'} called${campaign.scheduled_at === null ? ' at once' : ` from ${momentText(campaign.scheduled_at)}`}.`,
      yes: 'Approve',
      danger: false,
    });
    if (!isSure) return false;
    await api.POST('/v6/api/admin/campaigns/{request_id}/approve', { params, body: { revision } });
    notify('Approved');
    return true;
  };
  const reject = async (): Promise<boolean> => {
    const reason = await askReason({
      title: `Reject “${name}”?`,
      text: `No calls are made and ${formatCount(credits)} credits are refunded. The owner sees the reason.`,
      yes: 'Reject',
    });
    if (reason === null) return false;
    await api.POST('/v6/api/admin/campaigns/{request_id}/reject', { params, body: { revision, reason } });
    notify('Rejected');
    return true;
  };
  return (
    <Section
      title={name}
      actions={
        <>
          <Button
            needs="manage"
            icon={X}
            kind="danger"
            busy={busy === 'reject'}
            onClick={() => void decide('reject', reject)}
            aria-label={`Reject ${name}`}
          >
            Reject
          </Button>
          <Button
            needs="manage"
            icon={Check}
            kind="primary"
            busy={busy === 'approve'}
            onClick={() => void decide('approve', approve)}
            aria-label={`Approve ${name}`}
          >
            Approve
          </Button>
        </>
      }
    >
      <p className="muted">
        {campaign.username} · <LocalTime value={campaign.created_at} /> ·{' '}
        <Link to={`/campaigns/${encodeURIComponent(request_id)}`}>{request_id}</Link>
      </p>
      <VoiceReview campaign={campaign} />
    </Section>
  );
}
