import { useState } from 'react';
import { $api, api, LIVE, type Schema } from '../api/client.js';
import { rangeFilter, RANGES, useRange } from '../charts/range.js';
import { TrafficCharts } from '../charts/traffic-charts.js';
import {
  act,
  askReason,
  Button,
  type Column,
  confirm,
  Count,
  CopyText,
  DataTable,
  Facts,
  Filters,
  formatCount,
  formatSpan,
  LoadState,
  Page,
  Section,
  Share,
  StatusBadge,
  Tabs,
  Time,
  useParam,
} from '../ui/index.js';
import { MoveDialog } from './move-dialog.js';
import { RouteCosts } from './route-costs.js';
import { RouteForm } from './route-form.js';
import { TestDialog } from './test-dialog.js';
import { Waiting } from './waiting.js';

type Status = Schema<'RouteStatusData'>;

const STOPPED = 'A stopped route sends nothing, not even a test. Its connection stays open. Start it to test it.';

/** One route: how it stands, what it carries, and what staff do with it. */
export default function RoutePage() {
  const name = useParam('name');
  const path = { params: { path: { name } } };
  const status = $api.useQuery('get', '/v6/api/admin/routes/{name}/status', path, LIVE);
  const [dialog, setDialog] = useState<'test' | 'move' | null>(null);
  const data = status.data?.data;
  return (
    <Page
      title={
        <>
          {name} {data !== undefined && <StatusBadge status={data.state} />}
        </>
      }
      about={data?.summary ?? (data === undefined ? undefined : `${data.channel}, ${data.driver}`)}
      actions={
        data !== undefined && (
          <>
            <Button
              needs="manage"
              off={data.state === 'stopped'}
              title={data.state === 'stopped' ? STOPPED : 'Send one message through this route'}
              onClick={() => setDialog('test')}
            >
              Test
            </Button>
            <Button needs="manage" onClick={() => setDialog('move')}>
              Move waiting messages
            </Button>
            <StopOrStart status={data} />
          </>
        )
      }
    >
      {dialog === 'test' && <TestDialog name={name} onClose={() => setDialog(null)} />}
      {dialog === 'move' && data !== undefined && <MoveDialog status={data} onClose={() => setDialog(null)} />}
      <LoadState query={status}>
        {({ data: known }) => (
          <Tabs
            label="Parts of the route"
            tabs={[
              { name: 'state', label: 'State', content: () => <State status={known} /> },
              { name: 'traffic', label: 'Traffic', content: () => <Traffic name={name} /> },
              { name: 'settings', label: 'Settings', content: () => <Settings name={name} /> },
              { name: 'costs', label: 'Costs', content: () => <RouteCosts name={name} /> },
            ]}
          />
        )}
      </LoadState>
    </Page>
  );
}

function StopOrStart({ status: { name, state, waiting } }: { status: Status }) {
  const [isBusy, setBusy] = useState(false);
  const params = { path: { name } };
  const busily = async (work: Promise<boolean>) => {
    setBusy(true);
    await work;
    setBusy(false);
  };
  const stop = () =>
    act({
      ask: () =>
        askReason({
          title: `Stop ${name}?`,
          text: 'Sending stops within two seconds. Waiting messages stay or move to the next route of their chain. Receipts still arrive.',
          label: 'Reason, for colleagues',
          yes: 'Stop the route',
          optional: true,
        }).then((reason) => (reason === null ? null : { reason: reason === '' ? null : reason })),
      call: (body) => api.POST('/v6/api/admin/routes/{name}/stop', { params, body }),
      done: `${name} is stopped`,
    });
  const start = () =>
    act({
      ask: () =>
        confirm({
          title: `Start ${name}?`,
          text: `${formatCount(waiting)} due recipients are sent at once.`,
          yes: 'Start the route',
          danger: false,
        }),
      call: () => api.POST('/v6/api/admin/routes/{name}/start', { params }),
      done: `${name} is running again`,
    });
  return state === 'stopped' ? (
    <Button needs="manage" kind="primary" busy={isBusy} onClick={() => void busily(start())}>
      Start
    </Button>
  ) : (
    <Button needs="manage" kind="danger" busy={isBusy} onClick={() => void busily(stop())}>
      Stop
    </Button>
  );
}

const WORKERS: readonly Column<Schema<'RouteStatusWorker'>>[] = [
  { name: 'worker', title: 'Worker', cell: ({ worker }) => worker },
  { name: 'ready', title: 'Connected', cell: ({ ready }) => <StatusBadge status={ready ? 'up' : 'down'} /> },
  {
    name: 'circuit',
    title: 'Circuit',
    cell: ({ circuit }) => (circuit === null ? '–' : <StatusBadge status={circuit} />),
  },
  { name: 'error', title: 'Error', cell: ({ last_error }) => last_error ?? '–', wide: true },
];

const BINDS: readonly Column<Schema<'RouteStatusBindsOfWorker'>>[] = [
  { name: 'worker', title: 'Worker', cell: ({ worker }) => worker },
  { name: 'held', title: 'Held', align: 'end', cell: ({ held }) => <Count value={held} /> },
  { name: 'bound', title: 'Bound', align: 'end', cell: ({ bound }) => <Count value={bound} /> },
  { name: 'error', title: 'Error', cell: ({ last_error }) => last_error ?? '–', wide: true },
];

const loaded = <Row,>(data: readonly Row[]) => ({ data, error: null, isFetching: false, refetch: () => undefined });

function State({ status }: { status: Status }) {
  const { binds, workers, stopped } = status;
  return (
    <div className="page">
      <Section title="Now">
        <Facts
          facts={[
            ['State', <StatusBadge key="state" status={status.state} />],
            ['Since', <Time key="since" value={status.since} seconds />],
            ['Connection', stopped === null ? null : <StatusBadge key="connection" status={status.connection} />],
            ['Stopped by', stopped?.by],
            ['Reason', stopped?.reason],
            ['Circuit', status.circuit === null ? null : <StatusBadge key="circuit" status={status.circuit} />],
            ['Last error', status.last_error ?? 'none'],
            ['Error since', status.last_error_since === null ? null : <Time key="e" value={status.last_error_since} />],
            ['Last seen', status.last_error_at === null ? null : <Time key="l" value={status.last_error_at} />],
          ]}
        />
      </Section>
      <Section title="Waiting messages">
        <Facts
          facts={[
            ['Waiting', `${formatCount(status.waiting)}${status.waiting_is_capped ? '+' : ''}`],
            ['Later', <Count key="later" value={status.waiting_later} />],
            ['Oldest due', formatSpan(status.oldest_due_seconds)],
          ]}
        />
        {status.waiting + status.waiting_later > 0 && <Waiting name={status.name} />}
      </Section>
      <Section title="Traffic">
        <Facts
          facts={[
            ['Per second', <Count key="speed" value={status.throughput_per_second} digits={1} />],
            [
              'Limit per second',
              status.messages_per_second === null ? 'none' : formatCount(status.messages_per_second),
            ],
            ['Sent in the last hour', <Count key="sent" value={status.sent_last_hour} />],
            ['Delivery rate', <Share key="rate" value={status.delivery_rate} />],
            [
              'Newest receipt',
              status.newest_receipt_age_seconds === null
                ? 'none in the last hour'
                : `${formatSpan(status.newest_receipt_age_seconds)} ago`,
            ],
            ['Unmatched receipts', <Count key="unmatched" value={status.unmatched_receipts} />],
          ]}
        />
      </Section>
      {binds !== null && (
        <Section title={`Binds: ${String(binds.bound)} of ${String(binds.wanted)} connected`}>
          <DataTable
            label="Binds by worker"
            columns={BINDS}
            query={loaded(binds.workers)}
            rowKey={({ worker }) => worker}
            empty={{ title: 'No worker holds one' }}
          />
        </Section>
      )}
      {workers.length > 0 && (
        <Section title="Workers">
          <DataTable
            label="Route status by worker"
            columns={WORKERS}
            query={loaded(workers)}
            rowKey={({ worker }) => worker}
            empty={{ title: 'None' }}
          />
        </Section>
      )}
    </div>
  );
}

function Traffic({ name }: { name: string }) {
  const range = useRange('day');
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/statistics',
    { params: { query: { range, by: 'route', key: name } } },
    { refetchInterval: 15_000 },
  );
  return (
    <>
      <Filters filters={[rangeFilter('day')]} />
      <Section title={RANGES[range]}>
        <LoadState query={query}>{({ data }) => <TrafficCharts statistics={data} />}</LoadState>
      </Section>
    </>
  );
}

function Settings({ name }: { name: string }) {
  const query = $api.useQuery('get', '/v6/api/admin/routes/{name}', { params: { path: { name } } });
  return (
    <LoadState query={query}>
      {({ data }) => (
        <Section title="Settings">
          {data.callback_url !== null && (
            <Facts
              facts={[['Callback address', <CopyText key="url" text={data.callback_url} label="the address" />]]}
            />
          )}
          {data.unknown_settings.length > 0 && (
            <p className="held-up" role="note">
              The driver does not know {data.unknown_settings.join(', ')}: these settings have no effect. Correct or
              remove them before you save.
            </p>
          )}
          <RouteForm key={data.updated_at} route={data} />
        </Section>
      )}
    </LoadState>
  );
}
