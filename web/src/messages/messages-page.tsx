import { $api, LIVE } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import {
  type Column,
  DataTable,
  type Filter,
  Filters,
  listQuery,
  Page,
  StatusBadge,
  Time,
  useAddress,
} from '../ui/index.js';
import './messages.css';
import { channelOf, DIRECTIONS, type Message, numberOf } from './words.js';

const FILTERS: readonly Filter[] = [
  {
    name: 'direction',
    label: 'Direction',
    kind: 'choice',
    options: [['all', 'All'], ...Object.entries(DIRECTIONS)],
    usual: 'all',
  },
  { name: 'number', label: 'Number', kind: 'search', placeholder: '+919812345678' },
  {
    name: 'test',
    label: 'Sent with',
    kind: 'choice',
    options: [
      ['false', 'Live'],
      ['true', 'Test keys'],
    ],
    usual: 'false',
  },
  { name: 'from', label: 'From', kind: 'date' },
  { name: 'to', label: 'To', kind: 'date' },
];
const NAMES = FILTERS.map(({ name }) => name);

const COLUMNS: readonly Column<Message>[] = [
  { name: 'created', title: 'Time', cell: (row) => <Time value={row.created_at} /> },
  { name: 'direction', title: 'Direction', cell: ({ direction }) => DIRECTIONS[direction] },
  { name: 'channel', title: 'Channel', cell: channelOf },
  { name: 'number', title: 'Number', cell: (row) => numberOf(row) ?? '–' },
  { name: 'text', title: 'Text', cell: (row) => <Start message={row} />, wide: true },
  { name: 'status', title: 'Status', cell: (row) => <Status message={row} /> },
];

/** A search for a number waits for another one of the account. */
const AGAIN_MS = 2_000;
const isOneTooMany = (error: unknown): boolean => problemOf(error).status === 429;

/** What the account has sent and received over all channels. */
export default function MessagesPage() {
  const [address] = useAddress();
  const hasNumber = (address['number'] ?? '') !== '';
  const query = $api.useQuery(
    'get',
    '/v6/api/messages',
    { params: { query: listQuery(address, ...NAMES) } as never },
    {
      // a search for a number is expensive: it does not repeat itself
      ...(hasNumber ? { staleTime: Infinity } : LIVE),
      retry: (count, error) => isOneTooMany(error) || (count < 1 && problemOf(error).isSilence),
      retryDelay: (_, error) => (isOneTooMany(error) ? AGAIN_MS : 500),
    },
  );
  const isWaiting = query.isPending && isOneTooMany(query.failureReason);
  const isFiltered = NAMES.some((name) => (address[name] ?? '') !== '');
  const goesOn = (query.data?.next_cursor ?? null) !== null;
  return (
    <Page title="Messages" about="Sent and received over all channels, newest first.">
      <Filters filters={FILTERS} />
      {isWaiting ? (
        <p className="loading" role="status">
          Another search for a number is running. This search starts when it ends.
        </p>
      ) : (
        <DataTable
          label="Messages"
          columns={COLUMNS}
          query={query}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/messages/${encodeURIComponent(id)}`}
          empty={emptyText(isFiltered, goesOn)}
        />
      )}
    </Page>
  );
}

function emptyText(isFiltered: boolean, goesOn: boolean): { title: string; text: string } {
  if (goesOn) return { title: 'No message found so far', text: 'Older messages are not searched yet. Choose Next.' };
  return isFiltered
    ? { title: 'No message matches the filters', text: 'Change or clear the filters.' }
    : { title: 'No messages yet', text: 'Every message that you send or receive is shown here.' };
}

function Status({ message: { status, test } }: { message: Message }) {
  return (
    <>
      <StatusBadge status={status} />
      {test && <StatusBadge status="test" />}
    </>
  );
}

/** The first two lines of the text, or the kind of a message without one. */
function Start({ message: { text, type } }: { message: Message }) {
  if (text === null) return <span className="muted">{type}</span>;
  return (
    <span className="message-start">
      {type === 'template' && <span className="muted">Template: </span>}
      {text}
    </span>
  );
}
