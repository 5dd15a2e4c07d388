import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, type Schema } from '../api/client.js';
import { queryClient } from '../app/query-client.js';
import { ask, Button, CheckField, Dialog, formatCount, LoadState } from '../ui/index.js';
import { REASON_WORDS } from './words.js';

type Quote = Schema<'RetryQuoteData'>;
type LeftOut = 'permanent' | 'opt_out';

const LEFT_OUT = ['permanent', 'opt_out'] as const;
const LABELS: Readonly<Record<LeftOut, string>> = {
  permanent: 'Also those that failed for good',
  opt_out: 'Also those who have left',
};

/** Shows why they failed and what a retry costs. @returns the reasons to include; null = nothing shall happen */
export const askRetry = (requestId: string): Promise<LeftOut[] | null> =>
  ask((answer) => (
    <QueryClientProvider client={queryClient}>
      <RetryDialog requestId={requestId} onAnswer={answer} />
    </QueryClientProvider>
  ));

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
    <Dialog title="Send again to those that failed?" onClose={() => onAnswer(null)}>
      <LoadState query={query}>
        {({ data }) => (
          <>
            <div className="dialog-text">
              <p>
                A new campaign goes to {formatCount(data.total_rows)} for {formatCount(data.credits)} credits.
              </p>
              <ul>
                {data.reasons.map(({ reason, count, retried }) => (
                  <li key={reason}>
                    {formatCount(count)} {REASON_WORDS[reason]}
                    {!retried && ': left out'}
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
                title={data.total_rows === 0 ? 'None would be sent to' : undefined}
                onClick={() => onAnswer(include)}
              >
                Send again
              </Button>
            </div>
          </>
        )}
      </LoadState>
    </Dialog>
  );
}
