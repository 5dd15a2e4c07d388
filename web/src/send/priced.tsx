import type { Schema } from '../api/client.js';
import type { Problem } from '../api/problem.js';
import { countryName } from '../app/countries.js';
import { counted, Facts, faultWithLabel, formatCount } from '../ui/index.js';
import type { Body } from './draft.js';
import { type FaultyRow, Rows, SHOWN_ROWS, Skipped } from './rows.js';

export type Quote = Schema<'BulkQuoteData'> | Schema<'VoiceQuoteData'>;

export const isOfVoice = (quote: Quote): quote is Schema<'VoiceQuoteData'> => 'audio_seconds' in quote;
export const countOf = (quote: Quote): number => (isOfVoice(quote) ? quote.contacts : quote.recipients);

/** Labels of the fields of this page, by what the API calls them. */
const LABELS: Readonly<Record<string, string>> = {
  broadcast_name: 'Name of the campaign',
  message: 'Message',
  contacts: 'Numbers',
  recipients: 'Numbers',
  upload_id: 'File',
  list_id: 'List',
  template: 'Template',
  schedule_time: 'Send at',
  late_after_s: 'Late after, seconds',
  sender_id: 'Sender id',
  caller_id: 'Caller id',
  dlt_template_id: 'DLT template id',
  validity_s: 'Valid for, seconds',
  audio_url: 'Address of an audio file',
  attachment_1: 'Address of an image',
};

/** What the API refused, with the rows that it names. */
export function Refusal({ problem }: { problem: Problem }) {
  const rows = Array.isArray(problem.body['errors']) ? (problem.body['errors'] as FaultyRow[]) : [];
  return (
    <div role="alert">
      <p className="fault">{faultWithLabel(problem.message, LABELS)}</p>
      {problem.hint !== null && <p className="muted">{problem.hint}</p>}
      <Rows rows={rows} />
    </div>
  );
}

export type Warning = Schema<'Warning'>;

/** Warnings about single recipients, as rows counted from 1. */
const rowsOf = (warnings: readonly Warning[]): FaultyRow[] =>
  warnings.flatMap(({ row, index, value, message }) => {
    const at = row ?? (index === undefined ? undefined : index + 1);
    return at === undefined ? [] : [{ row: at, value, message }];
  });

export function Priced({ quote, warnings, body }: { quote: Quote; warnings: readonly Warning[]; body: Body }) {
  const left = quote.available - quote.credits;
  return (
    <>
      <p className="price">
        {counted(quote.credits, 'credit')} for {counted(countOf(quote), 'recipient')}
      </p>
      <Facts
        facts={[
          ['Balance', `${formatCount(quote.available)} ${quote.balance.replaceAll('_', ' ')}`],
          ['Balance after sending', left < 0 ? `${formatCount(-left)} credits short` : formatCount(left)],
          ...(isOfVoice(quote)
            ? [
                ['Length', `${formatCount(quote.audio_seconds, 1)} s`] as const,
                ['Per call', counted(quote.credits_per_contact, 'credit')] as const,
                [
                  'Skipped',
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
          [body['remove_duplicates'] === true ? 'Duplicates removed' : 'Duplicates', duplicatesOf(quote)],
        ]}
      />
      {left < 0 && <p className="fault">The balance is too low.</p>}
      {!isOfVoice(quote) && (
        <>
          {quote.refused > 0 && <p className="fault">{counted(quote.refused, 'row')} would block the send:</p>}
          <Rows rows={[...quote.missing, ...quote.invalid]} />
          <Skipped quote={quote} body={body} />
          <FirstRows quote={quote} />
          {quote.warned > 0 && <p>{counted(quote.warned, 'number')} outside every numbering plan:</p>}
          <Rows rows={rowsOf(warnings)} />
          <ul className="preview-texts" aria-label="The first recipients">
            {quote.preview.map(({ row, to, text, variables, segments, credits }) => (
              <li key={row}>
                <div className="muted">
                  {to} · {counted(segments, 'part')} · {counted(credits, 'credit')}
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

/** How many there are, with the first of them; null = none. */
function duplicatesOf(quote: Quote): string | null {
  const { duplicates } = quote;
  const count = quote.duplicates_count ?? duplicates.length;
  if (count === 0) return null;
  const first = duplicates.slice(0, 3).join(', ');
  return `${formatCount(count)}: ${first}${count > 3 ? ' …' : ''}`;
}

/** The first rows as they were read: the country of each number, and what becomes of it. */
function FirstRows({ quote }: { quote: Schema<'BulkQuoteData'> }) {
  const rows = [
    ...quote.preview.map(({ row, to, country }) => ({ row, value: to, country, reason: null })),
    ...(quote.skipped ?? []).map(({ row, value = '', message }) => ({ row, value, country: null, reason: message })),
  ]
    .sort((a, b) => a.row - b.row)
    .slice(0, SHOWN_ROWS);
  return (
    <div className="table-box" role="group" aria-label="The first rows" tabIndex={0}>
      <table className="table plain">
        <thead>
          <tr>
            <th scope="col" className="end">
              Row
            </th>
            <th scope="col">Number</th>
            <th scope="col">Country</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, value, country, reason }) => (
            <tr key={`${String(row)} ${reason ?? ''}`}>
              <td className="end">{formatCount(row)}</td>
              <td>{value}</td>
              <td>{country === null ? '–' : countryName(country)}</td>
              <td>{reason === null ? 'Will be sent' : `Skipped: ${reason}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
