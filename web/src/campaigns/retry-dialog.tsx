import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, type Schema } from '../api/client.js';
import { queryClient } from '../app/query-client.js';
import { ask, Button, CheckField, counted, Dialog, formatCount, LoadState } from '../ui/index.js';
import { isOver, REASON_WORDS } from './words.js';

type Quote = Schema<'RetryQuoteData'>;
type LeftOut = 'permanent' | 'opt_out';

const LEFT_OUT = ['permanent', 'opt_out'] as const;
const LABELS: Readonly<Record<LeftOut, string>> = {
  permanent: 'Include permanent failures',
  opt_out: 'Include numbers that opted out',
};

/** Shows why they failed and what a retry costs. @returns the reasons to include; null = nothing shall happen */
export const askRetry = (requestId: string): Promise<LeftOut[] | null> =>
  ask((answer) => (
    <QueryClientProvider client={queryClient}>
      <RetryDialog requestId={requestId} onAnswer={answer} />
    </QueryClientProvider>
  ));

/** The API counts each of them: of more it is asked in the dialog alone. */
const FEW = 10_000;

/** What a retry of those that can succeed costs; null where there are none, or it is not known yet. */
export function useRetryPrice({
  request_id,
  retriable,
  state,
  total_rows: total,
}: Schema<'CampaignDetailData'>): Quote | null {
  const query = $api.useQuery(
    'get',
    '/v6/api/campaigns/{request_id}/retry-failed',
    { params: { path: { request_id }, query: { include: [] } } },
    { enabled: retriable && isOver(state) && total <= FEW, staleTime: 60_000 },
  );
  return query.data === undefined || query.data.data.total_rows === 0 ? null : query.data.data;
}

function RetryDialog({ requestId, onAnswer }: { requestId: string; onAnswer: (include: LeftOut[] | null) => void }) {
  const [include, setInclude] = useState<LeftOut[]>([]);
  const query = $api.useQuery(
    'get',
    '/v6/api/campaigns/{request_id}/retry-failed',
    { params: { path: { request_id: requestId }, query: { include } } },
    { placeholderData: (before) => before },
  );
  const countOf = (data: Quote, kind: LeftOut): number =>
    data.reasons.find(({ reason }) => reason === kind)?.count ?? 0;
  return (
    <Dialog title="Retry failed recipients?" onClose={() => onAnswer(null)}>
      <LoadState query={query}>
        {({ data }) => (
          <>
            <div className="dialog-text">
              <p>
                A new campaign goes to {counted(data.total_rows, 'recipient')} and costs{' '}
                {counted(data.credits, 'credit')}.
              </p>
              <ul>
                {data.reasons.map(({ reason, count, retried }) => (
                  <li key={reason}>
                    {formatCount(count)} {REASON_WORDS[reason]}
                    {!retried && ': not included'}
                  </li>
                ))}
              </ul>
            </div>
            {LEFT_OUT.filter((kind) => countOf(data, kind) > 0).map((kind) => (
              <CheckField
                key={kind}
                label={LABELS[kind]}
                checked={include.includes(kind)}
                onChange={(event) =>
                  setInclude(event.currentTarget.checked ? [...include, kind] : include.filter((one) => one !== kind))
                }
              />
            ))}
            <div className="buttons end">
              <Button data-first onClick={() => onAnswer(null)}>
                Back
              </Button>
              <Button
                kind="primary"
                off={data.total_rows === 0}
                title={data.total_rows === 0 ? 'No recipients to retry' : undefined}
                onClick={() => onAnswer(include)}
              >
                {`Retry ${formatCount(data.total_rows)} for ${counted(data.credits, 'credit')}`}
              </Button>
            </div>
          </>
        )}
      </LoadState>
    </Dialog>
  );
}
