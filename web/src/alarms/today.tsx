import { $api, type Schema } from '../api/client.js';
import { formatCount, Link, LoadState, Section, Share } from '../ui/index.js';
import { Backlog } from './problems.js';

type Statistics = Schema<'StatisticsAnswerData'>;
type Series = Statistics['series'][number];

/** Volume and delivery rate of the last day over all channels, with what waits now. */
export function Today() {
  const query = $api.useQuery(
    'get',
    '/v6/api/admin/statistics',
    { params: { query: { range: 'day', by: 'channel' } } },
    { refetchInterval: 60_000 },
  );
  return (
    <Section title="Last 24 hours" actions={<Link to="/charts">Charts</Link>}>
      <LoadState query={query}>
        {({ data }) => {
          const sent = totalOf(data.series, 'sent');
          return (
            <dl className="figures">
              <div>
                <dt>Sent</dt>
                <dd>
                  {formatCount(sent)}
                  <Sparkline data={data} />
                </dd>
              </div>
              <div>
                <dt>Delivery rate</dt>
                <dd>
                  <Share value={rateOf(data.series)} />
                </dd>
              </div>
              <div>
                <dt>Failed</dt>
                <dd>{formatCount(totalOf(data.series, 'failed'))}</dd>
              </div>
              <div>
                <dt>Waiting now</dt>
                <dd>
                  <Backlog />
                </dd>
              </div>
            </dl>
          );
        }}
      </LoadState>
    </Section>
  );
}

const totalOf = (series: readonly Series[], name: 'sent' | 'failed' | 'delivered'): number =>
  series.reduce((sum, { totals }) => sum + totals[name], 0);

/** Of those whose end is known; null: of none. */
function rateOf(series: readonly Series[]): number | null {
  const [delivered, failed] = [totalOf(series, 'delivered'), totalOf(series, 'failed')];
  return delivered + failed === 0 ? null : delivered / (delivered + failed);
}

const HEIGHT = 24;

/** What was sent in each step of the day, as a line. */
function Sparkline({ data }: { data: Statistics }) {
  const first = Date.parse(data.from) / 1_000;
  const steps = Math.max(2, Math.round((Date.parse(data.to) / 1_000 - first) / data.step_seconds));
  const sent = Array.from({ length: steps }, () => 0);
  for (const { points } of data.series)
    for (const point of points) {
      const at = Math.round((Date.parse(point.at) / 1_000 - first) / data.step_seconds);
      if (at >= 0 && at < steps) sent[at] = (sent[at] ?? 0) + point.sent;
    }
  const most = Math.max(1, ...sent);
  const line = sent.map((count, at) => `${String(at)},${String(HEIGHT - (count / most) * (HEIGHT - 1))}`).join(' ');
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${String(steps - 1)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Sent over the last 24 hours, at most ${formatCount(most)} in one step`}
    >
      <polyline points={line} />
    </svg>
  );
}
