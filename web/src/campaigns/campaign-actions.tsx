import { useNavigate } from '@tanstack/react-router';
import { Ban, Download, FileCheck, Pause, Play, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { api, download, type Schema } from '../api/client.js';
import { queryClient } from '../app/query-client.js';
import { SENDS } from '../app/page-definition.js';
import { Button, confirm, counted, formatCount, notify, notifyFault, useAddress } from '../ui/index.js';
import { askRetry, useRetryPrice } from './retry-dialog.js';
import { isOver } from './words.js';

type Detail = Schema<'CampaignDetailData'>;

/** What can be done with a campaign; each button says why it cannot be pressed. */
export function CampaignActions({ campaign }: { campaign: Detail }) {
  const [busy, setBusy] = useState<string | null>(null);
  const navigate = useNavigate();
  const [{ status }] = useAddress();
  const { request_id, state } = campaign;
  const params = { params: { path: { request_id } } };

  const act = async (name: string, work: () => Promise<unknown>) => {
    setBusy(name);
    try {
      await work();
      await queryClient.invalidateQueries();
    } catch (error) {
      notifyFault(error);
    } finally {
      setBusy(null);
    }
  };

  const cancel = async () => {
    // what it comes to at this moment, not when the page was looked at last
    const { data } = await api.GET('/v6/api/campaigns/{request_id}', params);
    const isSure = await confirm({
      title: `Cancel “${campaign.broadcast_name}”?`,
      text: refundText(data?.data ?? campaign),
      yes: 'Cancel the campaign',
      no: 'Keep it',
    });
    if (!isSure) return;
    await api.POST('/v6/api/campaigns/{request_id}/cancel', params);
    notify('Cancelled. Unsent messages are refunded.');
  };

  const retry = async () => {
    const include = await askRetry(request_id);
    if (include === null) return;
    const { data } = await api.POST('/v6/api/campaigns/{request_id}/retry-failed', { ...params, body: { include } });
    if (data === undefined) return;
    notify(`Sent again to ${formatCount(data.data.total_rows)} for ${formatCount(data.data.credits)} credits`);
    await navigate({ to: `/campaigns/${encodeURIComponent(data.data.request_id)}` });
  };

  const save = () => {
    const query = status === undefined || status === '' ? '' : `?status=${encodeURIComponent(status)}`;
    return download(`/v6/api/campaigns/${encodeURIComponent(request_id)}/export.csv${query}`, `${request_id}.csv`);
  };

  const saveSettlement = () => {
    const path = `/v6/api/campaigns/${encodeURIComponent(request_id)}/settlement?format=bundle`;
    return download(path, `${request_id}.settlement.ndjson`);
  };

  const isStoppable = state === 'accepted' || state === 'running';
  const hasFailed = (campaign.status_counts['FAILED'] ?? 0) > 0;
  const price = useRetryPrice(campaign);
  const mayRetry =
    campaign.retriable ||
    campaign.failure_reasons.some(({ reason, message }) => reason in LEFT_OUT && message !== 'Suppressed');
  return (
    <>
      {state === 'paused' ? (
        <Button
          needs={SENDS}
          icon={Play}
          kind="primary"
          busy={busy === 'pause'}
          onClick={() => void act('pause', () => api.POST('/v6/api/campaigns/{request_id}/resume', params))}
        >
          Resume
        </Button>
      ) : (
        <Button
          needs={SENDS}
          icon={Pause}
          off={!isStoppable}
          title={isStoppable ? 'Stops within two seconds. You can resume it.' : `It is ${state.replaceAll('_', ' ')}`}
          busy={busy === 'pause'}
          onClick={() => void act('pause', () => api.POST('/v6/api/campaigns/{request_id}/pause', params))}
        >
          Pause
        </Button>
      )}
      {!isOver(state) && (
        <Button
          needs={SENDS}
          icon={Ban}
          kind="danger"
          busy={busy === 'cancel'}
          onClick={() => void act('cancel', cancel)}
        >
          Cancel
        </Button>
      )}
      <Button
        needs={SENDS}
        icon={RotateCcw}
        off={!mayRetry}
        title={
          mayRetry ? 'Starts a new campaign to the failed recipients' : NOT_RETRIABLE[hasFailed ? 'none' : 'noneFailed']
        }
        busy={busy === 'retry'}
        onClick={() => void act('retry', retry)}
      >
        {price === null
          ? 'Retry failures'
          : `Retry ${formatCount(price.total_rows)} for ${counted(price.credits, 'credit')}`}
      </Button>
      <Button icon={Download} busy={busy === 'export'} onClick={() => void act('export', save)}>
        Export CSV
      </Button>
      {isOver(state) && (
        <Button
          icon={FileCheck}
          title="A signed file that can be checked without us"
          busy={busy === 'settlement'}
          onClick={() => void act('settlement', saveSettlement)}
        >
          Settlement
        </Button>
      )}
    </>
  );
}

const LEFT_OUT = { permanent: true, opt_out: true };

const NOT_RETRIABLE = {
  noneFailed: 'No failures',
  none: 'No failed recipient can be retried: on the stop list, possibly sent, or retried already',
} as const;

function refundText({ refund_if_cancelled: refund, refund_is_approximate: isAbout, balance }: Detail): string {
  if (refund === null) return 'It has already ended.';
  const amount = `${isAbout ? 'about ' : ''}${formatCount(refund)} of ${balance.replaceAll('_', ' ')}`;
  return refund === 0
    ? 'Everything was sent or was free. Nothing is refunded.'
    : `Unsent messages are cancelled and ${amount} refunded. Messages sent until then are charged.`;
}
