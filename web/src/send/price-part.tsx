import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, type Schema } from '../api/client.js';
import { type Problem, problemOf } from '../api/problem.js';
import { useMe } from '../app/session.js';
import { Button, confirm, Facts, formatCount, notify, notifyFault, Section, TextField } from '../ui/index.js';
import { type Body, type ChannelName, type Template, testBodyOf } from './draft.js';
import { Handset } from './handset.js';
import { counted, type FaultyRow, Rows, SHOWN_ROWS, Skipped } from './rows.js';
import { newKey, submit } from './submit.js';

type Quote = Schema<'BulkQuoteData'> | Schema<'VoiceQuoteData'>;

interface Properties {
  channel: ChannelName;
  body: Body;
  /** what is still to be filled in; null = nothing */
  missing: string | null;
  values: Readonly<Record<string, string>>;
  header: string;
  template: Template | undefined;
}

const isOfVoice = (quote: Quote): quote is Schema<'VoiceQuoteData'> => 'audio_seconds' in quote;
/** What the application says of an accepted campaign. */
function saidOf(channel: ChannelName, body: Body): string {
  if (channel === 'voice') return 'Handed in: it leaves once it is approved';
  return 'schedule_time' in body ? 'Scheduled' : 'Sent';
}
const countOf = (quote: Quote): number => (isOfVoice(quote) ? quote.contacts : quote.recipients);

/** What leaves and what it costs, a test to oneself, and the departure. */
export function PricePart({ channel, body, missing, values, header, template }: Properties) {
  const [priced, setPriced] = useState<{ of: string; quote: Quote; warnings: readonly Warning[] } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<'price' | 'send' | null>(null);
  const text = JSON.stringify([channel, body]);
  // the price of another text says nothing about this one
  const quote = priced?.of === text ? priced.quote : null;
  const ask = async () => {
    setBusy('price');
    setProblem(null);
    try {
      const { data } = await api.POST('/v6/api/campaigns/quote', { body: { ...body, channel } as never });
      if (data === undefined) return;
      const { warnings = [] } = data as { warnings?: readonly Warning[] };
      setPriced({ of: text, quote: data.data as Quote, warnings });
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(null);
    }
  };
  return (
    <Section title="4. Preview and send">
      {template !== undefined && (channel === 'template' || channel === 'branded') && (
        <Handset template={template} values={values} header={header} />
      )}
      <div className="buttons">
        <Button off={missing !== null} busy={busy === 'price'} title={missing ?? undefined} onClick={() => void ask()}>
          Show preview and price
        </Button>
      </div>
      {missing !== null && <p className="muted">{missing}.</p>}
      {problem !== null && <Refusal problem={problem} />}
      <div aria-live="polite">
        {quote !== null && <Priced quote={quote} warnings={priced?.warnings ?? []} body={body} />}
      </div>
      <TestPart channel={channel} body={body} isReady={missing === null} quote={quote} />
      <SendButton
        channel={channel}
        body={body}
        quote={quote}
        busy={busy === 'send'}
        setBusy={(isBusy) => setBusy(isBusy ? 'send' : null)}
        onRefusal={setProblem}
      />
    </Section>
  );
}

/** What the API refused, with the rows that it names. */
function Refusal({ problem }: { problem: Problem }) {
  const rows = Array.isArray(problem.body['errors']) ? (problem.body['errors'] as FaultyRow[]) : [];
  return (
    <div role="alert">
      <p className="fault">{problem.message}</p>
      {problem.hint !== null && <p className="muted">{problem.hint}</p>}
      <Rows rows={rows} />
    </div>
  );
}

type Warning = Schema<'Warning'>;

/** Warnings about single recipients, as rows counted from 1. */
const rowsOf = (warnings: readonly Warning[]): FaultyRow[] =>
  warnings.flatMap(({ row, index, value, message }) => {
    const at = row ?? (index === undefined ? undefined : index + 1);
    return at === undefined ? [] : [{ row: at, value, message }];
  });

function Priced({ quote, warnings, body }: { quote: Quote; warnings: readonly Warning[]; body: Body }) {
  const left = quote.available - quote.credits;
  return (
    <>
      <p className="price">
        {counted(quote.credits, 'credit')} for {counted(countOf(quote), 'recipient')}
      </p>
      <Facts
        facts={[
          ['Balance', `${formatCount(quote.available)} ${quote.balance.replaceAll('_', ' ')}`],
          ['Left afterwards', left < 0 ? `${formatCount(-left)} too few` : formatCount(left)],
          ...(isOfVoice(quote)
            ? [
                ['Length', `${formatCount(quote.audio_seconds, 1)} s`] as const,
                ['For each call', counted(quote.credits_per_contact, 'credit')] as const,
                [
                  'Left out',
                  quote.invalid.length === 0
                    ? null
                    : quote.invalid
                        .slice(0, SHOWN_ROWS)
                        .map(({ value }) => value)
                        .join(', '),
                ] as const,
              ]
            : quote.segments_histogram.map(
                ({ segments, recipients, credits }) =>
                  [
                    counted(segments, 'part'),
                    `${counted(recipients, 'recipient')}, ${counted(credits, 'credit')}`,
                  ] as const,
              )),
          [
            'Come more than once',
            quote.duplicates.length === 0 ? null : quote.duplicates.slice(0, SHOWN_ROWS).join(', '),
          ],
        ]}
      />
      {left < 0 && <p className="fault">The balance is too low.</p>}
      {!isOfVoice(quote) && (
        <>
          {quote.refused > 0 && (
            <p className="fault">{counted(quote.refused, 'row')} would make the send be refused:</p>
          )}
          <Rows rows={[...quote.missing, ...quote.invalid]} />
          <Skipped quote={quote} body={body} />
          {quote.warned > 0 && <p>{counted(quote.warned, 'number')} that no numbering plan has:</p>}
          <Rows rows={rowsOf(warnings)} />
          <ul className="preview-texts" aria-label="The first recipients">
            {quote.preview.map(({ row, to, country, text, variables, segments, credits }) => (
              <li key={row}>
                <div className="muted">
                  {to}
                  {country !== null && ` (${country})`} · {counted(segments, 'part')} · {counted(credits, 'credit')}
                </div>
                {text === ''
                  ? Object.entries(variables)
                      .map(([name, value]) => `${name}: ${value}`)
                      .join(', ')
                  : text}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function TestPart({
  channel,
  body,
  isReady,
  quote,
}: Pick<Properties, 'channel' | 'body'> & { isReady: boolean; quote: Quote | null }) {
  const { mobile_no: own } = useMe();
  const [number, setNumber] = useState(own ?? '');
  const [isBusy, setBusy] = useState(false);
  const first = quote !== null && !isOfVoice(quote) ? (quote.preview[0]?.variables ?? {}) : {};
  const send = async () => {
    setBusy(true);
    try {
      const id = await submit(channel, testBodyOf(body, number, first), newKey());
      notify(`Test sent: ${id}`);
    } catch (error) {
      notifyFault(error, 'The test');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <TextField
        type="tel"
        label="Test message to"
        hint={
          channel === 'voice'
            ? 'Costs what a call costs, and waits for approval as every voice campaign.'
            : 'Leaves at once, with the values of the first recipient, and costs what it costs.'
        }
        value={number}
        onChange={(event) => setNumber(event.currentTarget.value)}
      />
      <div className="buttons">
        <Button off={!isReady || number.trim() === ''} busy={isBusy} onClick={() => void send()}>
          Send a test
        </Button>
      </div>
    </>
  );
}

function SendButton({
  channel,
  body,
  quote,
  busy,
  setBusy,
  onRefusal,
}: Pick<Properties, 'channel' | 'body'> & {
  quote: Quote | null;
  busy: boolean;
  setBusy: (busy: boolean) => void;
  onRefusal: (problem: Problem | null) => void;
}) {
  const navigate = useNavigate();
  const client = useQueryClient();
  // One key for one text: what is pressed twice, or again after a lost answer, is one campaign.
  const key = useRef<{ of: string; key: string }>({ of: '', key: '' });
  const refused = quote !== null && !isOfVoice(quote) ? quote.refused : 0;
  const isReady = quote !== null && refused === 0 && countOf(quote) > 0 && quote.available >= quote.credits;
  const send = async () => {
    if (quote === null) return;
    const isSure = await confirm({
      title: 'Send this campaign?',
      text: `${counted(countOf(quote), 'recipient')}, ${counted(quote.credits, 'credit')}.`,
      yes: 'Send it',
      danger: false,
    });
    if (!isSure) return;
    const text = JSON.stringify([channel, body]);
    if (key.current.of !== text) key.current = { of: text, key: newKey() };
    setBusy(true);
    onRefusal(null);
    try {
      const id = await submit(channel, body, key.current.key);
      key.current = { of: '', key: '' };
      void client.invalidateQueries();
      notify(saidOf(channel, body));
      await navigate({ to: `/campaigns/${encodeURIComponent(id)}` });
    } catch (error) {
      onRefusal(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="buttons">
      <Button
        kind="primary"
        off={!isReady}
        busy={busy}
        title={quote === null ? 'Look at the price first' : undefined}
        onClick={() => void send()}
      >
        {quote === null ? 'Send' : `Send to ${formatCount(countOf(quote))}`}
      </Button>
      {quote === null && <span className="muted">Look at the preview and the price first.</span>}
    </div>
  );
}
