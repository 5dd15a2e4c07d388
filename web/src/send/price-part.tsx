import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api } from '../api/client.js';
import { type Problem, problemOf } from '../api/problem.js';
import { useMe } from '../app/session.js';
import {
  Button,
  confirm,
  counted,
  formatCount,
  momentWords,
  notify,
  notifyFault,
  Section,
  TextField,
  useTimeZone,
} from '../ui/index.js';
import { type Body, type ChannelName, type Template, testBodyOf } from './draft.js';
import { Handset } from './handset.js';
import { countOf, isOfVoice, Priced, type Quote, Refusal, type Warning } from './priced.js';
import { newKey, submit } from './submit.js';

interface Properties {
  channel: ChannelName;
  body: Body;
  /** what is still to be filled in; null = nothing */
  missing: string | null;
  /** when it is sent; null = now */
  at: Date | null;
  values: Readonly<Record<string, string>>;
  header: string;
  template: Template | undefined;
}

/** What leaves and what it costs, a test to oneself, and the departure. */
export function PricePart({ channel, body, missing, at, values, header, template }: Properties) {
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
        at={at}
        isComplete={missing === null}
        quote={quote}
        busy={busy === 'send'}
        setBusy={(isBusy) => setBusy(isBusy ? 'send' : null)}
        onRefusal={setProblem}
      />
    </Section>
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
            ? 'Charged as a call. Needs approval like every voice campaign.'
            : 'Sent at once with the values of the first recipient, at the normal price.'
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
  at,
  isComplete,
  quote,
  busy,
  setBusy,
  onRefusal,
}: Pick<Properties, 'channel' | 'body' | 'at'> & {
  isComplete: boolean;
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
  const zone = useTimeZone();
  const isReady =
    isComplete && quote !== null && refused === 0 && countOf(quote) > 0 && quote.available >= quote.credits;
  const send = async () => {
    if (quote === null) return;
    const isSure = await confirm({
      title: 'Send this campaign?',
      text: [
        `${counted(countOf(quote), 'recipient')}, ${counted(quote.credits, 'credit')}.`,
        at === null ? 'It is sent now.' : `${momentWords(at, zone)}.`,
      ].join(' '),
      yes: at === null ? 'Send it' : 'Schedule it',
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
      notify(
        channel === 'voice' ? 'Submitted for approval' : at === null ? 'Sent' : `Scheduled: ${momentWords(at, zone)}`,
      );
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
        title={quote === null ? 'Check the price first' : undefined}
        onClick={() => void send()}
      >
        {quote === null
          ? at === null
            ? 'Send'
            : 'Schedule'
          : `${at === null ? 'Send to' : 'Schedule for'} ${formatCount(countOf(quote))}`}
      </Button>
      {quote === null && <span className="muted">Check the preview and the price first.</span>}
    </div>
  );
}
